package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What was learned from the runs of one kind of task.
 *
 * @param fingerprint identifies tasks of one name, command, owner and need; for those of others t
 *     and the id of the last one
 * @param command its numbers are blanked; null if it is not the caller's, or was removed
 * @param gpus requested number, such as 1 or 2-4
 * @param runs completed runs; the newest ones count
 * @param medianSeconds null if none was completed
 * @param peakMemoryMb null if it was not measured, or is not the caller's
 */
public record LearnedRuns(
        String fingerprint,
        String name,
        String owner,
        @Nullable String command,
        String gpus,
        int runs,
        @Nullable Double medianSeconds,
        @Nullable Double p90Seconds,
        @Nullable Double minSeconds,
        @Nullable Double maxSeconds,
        @Nullable Long peakMemoryMb,
        String lastRun) {}
