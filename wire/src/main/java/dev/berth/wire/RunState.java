package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * One started command file and where its lanes stand.
 *
 * @param pid the run's number, never used again in this home; it is no process id
 * @param mode single or multi
 * @param configIndex null where the file is none of the home's
 * @param commandFile relative to the home, or absolute where it lies elsewhere
 * @param status running, stopping, finished or stopped
 * @param reason why nothing of it can start, in plain words
 * @param log relative to the home
 * @param queues its lanes by queue id
 * @param problems blocks that were left out; only in the answer to its start
 */
public record RunState(
        long pid,
        String mode,
        @Nullable Integer configIndex,
        String commandFile,
        String status,
        String owner,
        String priority,
        String startedAt,
        String updatedAt,
        @Nullable String endedAt,
        int total,
        int pending,
        int running,
        int completed,
        int failed,
        int cancelled,
        @Nullable String reason,
        String log,
        Map<String, LaneState> queues,
        @Nullable List<FileProblem> problems) {}
