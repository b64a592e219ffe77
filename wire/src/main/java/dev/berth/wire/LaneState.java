package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One lane of a run: tasks that run one after the other.
 *
 * @param status busy, idle, backoff or done
 * @param current the task that runs now
 * @param gpus those it holds now
 * @param backoffUntil the retry of its task is delayed until then
 */
public record LaneState(
        String status,
        int total,
        int completed,
        @Nullable Long current,
        List<Integer> gpus,
        @Nullable String backoffUntil,
        List<ProcessState> processes) {}
