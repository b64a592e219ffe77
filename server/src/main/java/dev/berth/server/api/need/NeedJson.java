package dev.berth.server.api.need;

import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.wire.GpuLimits;
import dev.berth.wire.GpuRequest;

import org.jspecify.annotations.Nullable;

/**
 * A task's GPU request in the fields of the API.
 *
 * @param minGpu 0 for a CPU task
 */
public record NeedJson(
        String devices,
        int minGpu,
        int maxGpu,
        @Nullable String gpuType,
        @Nullable Double memoryGb,
        boolean isShared) {

    private static final double MIB_PER_GB = 1024;

    public static NeedJson of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> new NeedJson("cpu", 0, 0, null, null, false);
            case Need.Gpus(var count, var type, var devices, var memory) ->
                    new NeedJson(
                            devices.map(GpuIndices::apiName).orElse("auto"),
                            count.min(),
                            count.max(),
                            type.orElse(null),
                            memory.mib().isPresent() ? memory.mib().getAsLong() / MIB_PER_GB : null,
                            memory.isShared());
        };
    }

    public GpuRequest gpuRequest() {
        return new GpuRequest(gpuType, minGpu);
    }

    public GpuLimits gpuLimits() {
        return new GpuLimits(maxGpu, memoryGb, isShared);
    }
}
