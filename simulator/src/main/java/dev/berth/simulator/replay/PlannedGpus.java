package dev.berth.simulator.replay;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.task.Claim;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Equal GPUs as the planner sees them: on one machine, in use only by the jobs of the trace. */
final class PlannedGpus {

    private static final long GPU_MIB = 81_920;
    private static final int TEMPERATURE_C = 40;

    private final PersistentMap<GpuId, GpuState> gpus;
    private PersistentMap<GpuId, List<HeldClaim>> holds = PersistentMap.empty();

    PlannedGpus(long count) {
        PersistentMap<GpuId, GpuState> all = PersistentMap.empty();
        for (int index = 0; index < count; index++) {
            var gpu = new Gpu(new GpuId("trace", "GPU-" + index), index, "GPU", GPU_MIB);
            all = all.with(gpu.id(), new GpuState.Readable(gpu, idle()));
        }
        gpus = all;
    }

    private static GpuReading idle() {
        return new GpuReading(
                OptionalLong.of(0),
                OptionalLong.of(GPU_MIB),
                OptionalInt.of(0),
                OptionalInt.of(TEMPERATURE_C));
    }

    Fleet fleet() {
        return new Fleet(
                gpus, holds, PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());
    }

    int free() {
        return gpus.size() - holds.size();
    }

    /** The claims after a scheduling pass. */
    void setHolds(PersistentMap<GpuId, List<HeldClaim>> after) {
        holds = after;
    }

    /** No other job shares these GPUs. */
    void release(List<Claim> claims) {
        for (var claim : claims) {
            holds = holds.without(claim.gpu());
        }
    }
}
