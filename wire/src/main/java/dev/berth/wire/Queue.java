package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * All waiting tasks.
 *
 * @param pending drafts, which are not scheduled until a person starts or queues them
 * @param schedulerRunning false while nothing may start
 * @param paused why nothing may start
 * @param waitWarnSeconds a wait beyond this is worth a warning
 * @param waitingTooLong number of tasks that have waited longer
 * @param priorities number of waiting tasks by priority
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
