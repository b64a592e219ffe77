package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.Need;

import java.util.OptionalLong;

/** How much memory a GPU could give if no process used it. */
public final class GpuCapacity {

    private GpuCapacity() {}

    /** The most memory on one of the GPUs that this need allows; empty if there is none. */
    public static OptionalLong maxMib(PersistentMap<?, GpuState> states, Need need) {
        return need instanceof Need.Gpus gpuNeed
                ? states.values()
                        .filter(state -> isAllowed(gpuNeed, state))
                        .mapToLong(GpuCapacity::usableMib)
                        .max()
                : OptionalLong.empty();
    }

    private static boolean isAllowed(Need.Gpus gpuNeed, GpuState state) {
        var gpu = state.gpu();
        return gpuNeed.type().stream().allMatch(gpu.model()::equals)
                && gpuNeed.devices().stream()
                        .allMatch(devices -> devices.indices().contains(gpu.index()));
    }

    /** Less than the total: the driver reserves a part of the memory. */
    private static long usableMib(GpuState state) {
        if (state instanceof GpuState.Readable(var gpu, var reading)) {
            var used = reading.usedMib();
            var free = reading.freeMib();
            return used.isPresent() && free.isPresent()
                    ? used.getAsLong() + free.getAsLong()
                    : gpu.totalMib();
        }
        return state.gpu().totalMib();
    }
}
