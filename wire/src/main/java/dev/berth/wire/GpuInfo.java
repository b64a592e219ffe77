package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** One card as it is now. */
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
        List<String> loadedModels) {

    public record Memory(long totalMb, @Nullable Long usedMb, @Nullable Long freeMb) {}
}
