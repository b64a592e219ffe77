package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A task's lane and retries.
 *
 * @param lane run and queue like {@code 3/1}, or the name of the lane; null if it is in no lane
 * @param run the run it belongs to; null if it does not belong to a command file
 * @param uniId of its latest try; null if it does not belong to a command file
 * @param maxRetries null if unlimited
 * @param backoffUntil the retry is delayed until then; null if it is not in backoff
 */
public record TaskLane(
        @Nullable String lane,
        @Nullable Long run,
        @Nullable String uniId,
        int retryCount,
        @Nullable Integer maxRetries,
        @Nullable String backoffUntil) {}
