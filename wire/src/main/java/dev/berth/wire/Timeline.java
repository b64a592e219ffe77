package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What ran on the GPUs in a period, and what will probably run.
 *
 * @param runs earliest first; of a task that was retried, each attempt
 * @param truncated some runs are left out because there are too many
 * @param reservation the GPUs that are kept for a waiting task
 * @param windows of reservations in this period
 */
public record Timeline(
        String from,
        String to,
        String now,
        List<TimelineGpu> gpus,
        List<TimelineRun> runs,
        boolean truncated,
        @Nullable TimelineReservation reservation,
        List<TimelineWindow> windows) {

    /** A GPU. */
    public record TimelineGpu(int index, String uuid, String name) {}

    /**
     * A task on its GPUs.
     *
     * @param gpus indices; empty for a task without a GPU
     * @param end expected if it has not ended; null if that is unknown
     * @param isPredicted true if the task waits, so that start and GPUs are predicted too
     * @param endLatest latest end of a task that has not ended
     */
    public record TimelineRun(
            long taskId,
            String name,
            String owner,
            String status,
            List<Integer> gpus,
            String start,
            @Nullable String end,
            boolean isPredicted,
            @Nullable String endLatest) {}

    /** GPUs that are kept for a waiting task, and when it starts at the latest. */
    public record TimelineReservation(long taskId, List<Integer> gpus, String start) {}

    /**
     * A window of a reservation; for nobody if it names neither a user nor a group.
     *
     * @param gpus indices that it names, or that are kept now for its current or next window
     */
    public record TimelineWindow(
            long reservation,
            @Nullable String user,
            @Nullable String group,
            int gpuCount,
            List<Integer> gpus,
            String from,
            String to) {}
}
