package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * When a task will probably start and end, from the run times of earlier tasks. Null if nothing is
 * known about a task that it waits for.
 *
 * @param eta expected start of a waiting task
 * @param etaReason why the start of a waiting task is not known
 * @param etaLatest its start if all tasks run as long as only one in ten does
 * @param expectedEnd of a waiting or running task
 */
public record ExpectedTimes(
        @Nullable String eta,
        @Nullable String etaLatest,
        @Nullable Reason etaReason,
        @Nullable String expectedEnd,
        @Nullable String expectedEndLatest) {

    public static final ExpectedTimes NONE = new ExpectedTimes(null, null, null, null, null);
}
