package dev.berth.wire;

import java.util.List;
import java.util.Map;

/**
 * The queues by devices.
 *
 * @param userQueuedCount number of the caller's own waiting tasks
 * @param deviceGroups only groups with waiting tasks
 */
public record QueueStatus(
        boolean schedulerRunning, int userQueuedCount, Map<String, Group> deviceGroups) {

    /**
     * @param count number of all tasks, also if not all are listed
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
