package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The current state of a GPU. Values that the driver does not report are null.
 *
 * @param utilization the same as {@link Reading#utilizationPercent}
 * @param status free, busy, unknown or error
 * @param headroomMb free memory minus what tasks have claimed but not allocated yet
 * @param meanUtilizationPercent over the last second
 * @param why reason of the status unknown or error
 * @param releasedAt when a task last released it; null if this server does not know
 * @param processes null unless requested, or if the driver does not list them
 * @param holders the tasks that hold it
 * @param fault present if the GPU is quarantined
 * @param reservations that keep it now, the first to begin first
 */
public record GpuInfo(
        @Flat Identity identity,
        Memory memory,
        @Nullable Integer utilization,
        @Flat Tasks tasks,
        boolean isFree,
        String status,
        @Flat Reading reading,
        List<String> loadedModels,
        @Nullable Long headroomMb,
        @Nullable Integer meanUtilizationPercent,
        @Nullable String why,
        @Nullable String releasedAt,
        @Nullable List<Process> processes,
        List<Holder> holders,
        @Nullable Fault fault,
        List<Reserved> reservations) {

    /**
     * Which GPU it is.
     *
     * @param id the same as its index
     * @param name of its model
     */
    public record Identity(int index, int id, String node, String uuid, String name) {}

    /**
     * The tasks that hold the GPU.
     *
     * @param assignedTaskId the first of them; null if there is none
     * @param currentTaskId the same as {@code assignedTaskId}
     */
    public record Tasks(
            @Nullable Long assignedTaskId, @Nullable Long currentTaskId, List<Long> taskIds) {}

    /** The driver's latest values. The memory is also in {@link Memory}. */
    public record Reading(
            long memoryTotalMb,
            @Nullable Long memoryUsedMb,
            @Nullable Long memoryFreeMb,
            @Nullable Integer utilizationPercent,
            @Nullable Integer temperatureC) {}

    /**
     * Why the GPU is quarantined.
     *
     * @param kind missing, xid, ecc, hot, failures or person
     * @param stage testing: used again if the test passes; out: until a person releases it
     */
    public record Fault(String kind, String why, String since, String stage) {}

    /**
     * A reservation that keeps the GPU; for nobody if it names neither a user nor a group.
     *
     * @param active its window has begun
     */
    public record Reserved(
            long id,
            @Nullable String user,
            @Nullable String group,
            boolean active,
            String from,
            String to) {}

    /**
     * A process on the GPU.
     *
     * @param user null if the host does not show it
     * @param kind compute or graphics
     * @param since when it started
     * @param taskId the task it belongs to
     * @param foreign it belongs to no task
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

    /** A task that holds the GPU, and since when. */
    public record Holder(long taskId, String name, String owner, String since) {}

    public record Memory(long totalMb, @Nullable Long usedMb, @Nullable Long freeMb) {}
}
