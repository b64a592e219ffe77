package dev.berth.core.predict;

import dev.berth.core.id.TaskId;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * One ended run of a task.
 *
 * @param fingerprint of its kind
 * @param command hash of its command, with the numbers
 * @param isComplete false if it failed or was stopped: it says only that the task takes at least
 *     this long
 * @param peakMib its highest GPU memory on one GPU, if measured
 */
public record PastRun(
        TaskId task,
        long fingerprint,
        long command,
        Instant endedAt,
        Duration length,
        boolean isComplete,
        OptionalLong peakMib) {}
