package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One card as it is now. What the driver does not say is null.
 *
 * @param status free, busy, unknown or error
 * @param headroomMb free memory less what tasks there were promised and have not taken yet
 * @param meanUtilizationPercent over the last second
 * @param why it is unknown or in error
 * @param releasedAt when a task last let go of it, as far as this server remembers
 * @param processes null unless asked for, and where the driver does not list them
 * @param holders the tasks that hold it
 * @param fault it is out of use
 */
public record GpuInfo(
        int index,
        int id,
        String node,
        String uuid,
        String name,
        Memory memory,
        @Nullable Integer utilization,
        @Nullable Long assignedTaskId,
        @Nullable Long currentTaskId,
        List<Long> taskIds,
        boolean isFree,
        String status,
        long memoryTotalMb,
        @Nullable Long memoryUsedMb,
        @Nullable Long memoryFreeMb,
        @Nullable Integer utilizationPercent,
        @Nullable Integer temperatureC,
        List<String> loadedModels,
        @Nullable Long headroomMb,
        @Nullable Integer meanUtilizationPercent,
        @Nullable String why,
        @Nullable String releasedAt,
        @Nullable List<Process> processes,
        List<Holder> holders,
        @Nullable Fault fault) {

    /**
     * Why it is out of use.
     *
     * @param kind missing, xid, ecc, hot, failures or person
     * @param stage testing: it comes back if it passes; out: until a person acts
     */
    public record Fault(String kind, String why, String since, String stage) {}

    /**
     * A process on the card.
     *
     * @param user null where the host does not show it
     * @param kind compute or graphics
     * @param since when it started
     * @param taskId the task it belongs to
     * @param foreign it belongs to none
     */
    public record Process(
            long pid,
            @Nullable String user,
            String name,
            @Nullable Long memoryMb,
            String kind,
            @Nullable String since,
            @Nullable Long taskId,
            boolean foreign) {}

    /** A task that holds the card, since it was given it or started there. */
    public record Holder(long taskId, String name, String owner, String since) {}

    public record Memory(long totalMb, @Nullable Long usedMb, @Nullable Long freeMb) {}
}
