package dev.berth.core.plan;

import dev.berth.core.gpu.GpuPool;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.share.LimitRules;

import java.util.OptionalInt;

/**
 * The configured rules of scheduling.
 *
 * @param memoryThresholdPercent memory use from which a GPU counts as busy for tasks that state no
 *     memory
 * @param maxCpuTasks maximum number of tasks without a GPU that run at the same time
 * @param shares limits and weights of users and groups
 */
public record SchedulingRules(
        int memoryThresholdPercent,
        ForeignProcessPolicy foreign,
        GpuPool pool,
        MemoryEstimates estimates,
        ModelCache modelCache,
        OptionalInt maxCpuTasks,
        LaneRules lanes,
        ShareRules shares) {

    public static final SchedulingRules DEFAULT =
            new SchedulingRules(20, ForeignProcessPolicy.YIELD, GpuPool.ALL);

    public SchedulingRules {
        if (memoryThresholdPercent < 1 || memoryThresholdPercent > 100) {
            throw new IllegalArgumentException(
                    "memory_threshold_percent is from 1 to 100, not " + memoryThresholdPercent);
        }
    }

    /** Without limits of users. */
    public SchedulingRules(
            int memoryThresholdPercent,
            ForeignProcessPolicy foreign,
            GpuPool pool,
            MemoryEstimates estimates,
            ModelCache modelCache,
            OptionalInt maxCpuTasks,
            LaneRules lanes) {
        this(
                memoryThresholdPercent,
                foreign,
                pool,
                estimates,
                modelCache,
                maxCpuTasks,
                lanes,
                ShareRules.DEFAULT);
    }

    public SchedulingRules(int thresholdPercent, ForeignProcessPolicy foreign, GpuPool pool) {
        this(
                thresholdPercent,
                foreign,
                pool,
                MemoryEstimates.DEFAULT,
                ModelCache.DEFAULT,
                OptionalInt.empty(),
                LaneRules.DEFAULT,
                ShareRules.DEFAULT);
    }

    public SchedulingRules with(MemoryEstimates other) {
        return new SchedulingRules(
                memoryThresholdPercent,
                foreign,
                pool,
                other,
                modelCache,
                maxCpuTasks,
                lanes,
                shares);
    }

    public SchedulingRules with(LaneRules other) {
        return new SchedulingRules(
                memoryThresholdPercent,
                foreign,
                pool,
                estimates,
                modelCache,
                maxCpuTasks,
                other,
                shares);
    }

    public SchedulingRules with(ShareRules other) {
        return new SchedulingRules(
                memoryThresholdPercent,
                foreign,
                pool,
                estimates,
                modelCache,
                maxCpuTasks,
                lanes,
                other);
    }

    public SchedulingRules with(LimitRules limits) {
        return with(new ShareRules(limits, shares.weights(), shares.countsOutside()));
    }

    public LimitRules limits() {
        return shares.limits();
    }
}
