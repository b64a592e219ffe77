package dev.berth.wire;

import java.util.List;
import java.util.Map;

/**
 * The queue by devices.
 *
 * @param userQueuedCount how many of the caller's own wait
 * @param deviceGroups only those in which somebody waits
 */
public record QueueStatus(
        boolean schedulerRunning, int userQueuedCount, Map<String, Group> deviceGroups) {

    /**
     * @param count all of them, also where not all are listed
     */
    public record Group(int count, List<Waiting> experiments) {}

    public record Waiting(
            long id,
            String name,
            String status,
            String createdAt,
            double waitSeconds,
            int position) {}
}
