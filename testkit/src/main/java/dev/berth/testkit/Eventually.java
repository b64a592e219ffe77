package dev.berth.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Waits until a condition holds that another thread or process brings about. It checks every few
 * milliseconds, so a test hardly waits longer than needed, and fails with a description of the
 * condition when the bound is over.
 */
public final class Eventually {

    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(2);

    private Eventually() {}

    public static void eventually(String what, Callable<Boolean> condition) {
        eventually(BOUND, what, condition);
    }

    public static void eventually(Duration bound, String what, Callable<Boolean> condition) {
        var _ = present(bound, what, () -> condition.call() ? Optional.of(what) : Optional.empty());
    }

    /** Returns the value as soon as it is present. */
    public static <T> T present(String what, Callable<Optional<T>> value) {
        return present(BOUND, what, value);
    }

    public static <T> T present(Duration bound, String what, Callable<Optional<T>> value) {
        long end = System.nanoTime() + bound.toNanos();
        while (true) {
            // Read before the check, so that the last check is never earlier than the bound.
            boolean isOver = System.nanoTime() - end >= 0;
            var found = check(what, value);
            if (found.isPresent()) {
                return found.get();
            }
            if (isOver) {
                throw new AssertionError("not within " + bound.toMillis() + " ms: " + what);
            }
            pause(what);
        }
    }

    private static <T> Optional<T> check(String what, Callable<Optional<T>> value) {
        try {
            return value.call();
        } catch (Exception e) {
            throw new AssertionError("while waiting for: " + what, e);
        }
    }

    private static void pause(String what) {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for: " + what, e);
        }
    }
}
