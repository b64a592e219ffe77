package dev.berth.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Waits until a condition holds that another thread or process brings about, and fails with a
 * description of the condition when the bound is over. The pauses between two checks grow with the
 * time waited: a test waits a twentieth longer than needed, and does not take the processor from
 * what it waits for.
 */
public final class Eventually {

    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final Duration MIN_PAUSE = Duration.ofMillis(2);
    private static final Duration MAX_PAUSE = Duration.ofMillis(25);
    private static final int WAITED_PER_PAUSE = 20;

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
        long begin = System.nanoTime();
        while (true) {
            // Read before the check, so that the last check is never earlier than the bound.
            long waited = System.nanoTime() - begin;
            boolean isOver = waited >= bound.toNanos();
            var found = check(what, value);
            if (found.isPresent()) {
                return found.get();
            }
            if (isOver) {
                throw new AssertionError("not within " + bound.toMillis() + " ms: " + what);
            }
            pause(waited, what);
        }
    }

    private static <T> Optional<T> check(String what, Callable<Optional<T>> value) {
        try {
            return value.call();
        } catch (Exception e) {
            throw new AssertionError("while waiting for: " + what, e);
        }
    }

    private static void pause(long waitedNanos, String what) {
        long nanos =
                Math.clamp(
                        waitedNanos / WAITED_PER_PAUSE, MIN_PAUSE.toNanos(), MAX_PAUSE.toNanos());
        try {
            Thread.sleep(Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for: " + what, e);
        }
    }
}
