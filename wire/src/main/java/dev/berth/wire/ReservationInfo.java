package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * GPUs that are kept for a user, a group or, without both, for nobody.
 *
 * @param devices the indices that it names; null if Berth selects the GPUs
 * @param from the begin of the first window
 * @param zone the time zone of a weekly one
 * @param active its window is now
 * @param windowFrom of the current or next window
 * @param keptGpus indices of the GPUs that are kept for it at the moment
 */
public record ReservationInfo(
        long id,
        @Nullable String user,
        @Nullable String group,
        int gpuCount,
        @Nullable List<Integer> devices,
        String from,
        long seconds,
        boolean weekly,
        String zone,
        String note,
        String createdBy,
        String createdAt,
        boolean active,
        @Nullable String windowFrom,
        @Nullable String windowTo,
        List<Integer> keptGpus) {}
