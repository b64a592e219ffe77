package dev.berth.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Waits for something that another thread or process brings about. It looks again every few
 * milliseconds, so a test takes no longer than the thing itself, and fails with what it waited for
 * when the bound is over.
 */
public final class Eventually {

    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(2);

    private Eventually() {}

    public static void eventually(String what, Callable<Boolean> condition) {
        eventually(BOUND, what, condition);
    }

    public static void eventually(Duration bound, String what, Callable<Boolean> condition) {
        var _ = present(bound, what, () -> condition.call() ? Optional.of(what) : Optional.empty());
    }

    /** The value, as soon as there is one. */
    public static <T> T present(String what, Callable<Optional<T>> value) {
        return present(BOUND, what, value);
    }

    public static <T> T present(Duration bound, String what, Callable<Optional<T>> value) {
        long end = System.nanoTime() + bound.toNanos();
        while (true) {
            // Read before the look, so that the last look is never earlier than the bound.
            boolean over = System.nanoTime() - end >= 0;
            var found = look(what, value);
            if (found.isPresent()) {
                return found.get();
            }
            if (over) {
                throw new AssertionError("not within " + bound.toMillis() + " ms: " + what);
            }
            pause(what);
        }
    }

    private static <T> Optional<T> look(String what, Callable<Optional<T>> value) {
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
