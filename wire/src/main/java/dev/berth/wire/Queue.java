package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * All that waits.
 *
 * @param pending drafts, which do not wait for anything but a person
 * @param schedulerRunning false while nothing may start
 * @param paused why nothing may start
 * @param waitWarnSeconds a wait beyond this is worth a warning
 * @param waitingTooLong how many have waited longer
 * @param priorities how many wait in each class
 */
public record Queue(
        int queued,
        int running,
        int pending,
        boolean schedulerRunning,
        @Nullable Reason paused,
        @Nullable Double longestWaitSeconds,
        @Nullable Long longestWaitTaskId,
        long waitWarnSeconds,
        int waitingTooLong,
        String priorityAlgorithm,
        String gpuSelector,
        Map<String, Integer> priorities,
        List<QueueLine> lines) {}
