package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * One file run and the state of its lanes.
 *
 * @param pid id of the run, never reused in this home; not a process id
 * @param mode single or multi
 * @param configIndex null if the file is not in the home
 * @param commandFile relative to the home, or absolute if it is elsewhere
 * @param status running, stopping, finished or stopped
 * @param reason in English, why none of its tasks can start
 * @param log relative to the home
 * @param queues its lanes by queue id
 * @param problems blocks of its file that are left out, by line
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
        List<FileProblem> problems) {}
