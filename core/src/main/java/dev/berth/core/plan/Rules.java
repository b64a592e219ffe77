package dev.berth.core.plan;

import java.util.OptionalInt;

/**
 * What a lab decides about its cards.
 *
 * @param thresholdPercent memory use from which a card counts as busy for tasks that name no memory
 * @param mostCpuTasks so many tasks without a card run at the same time
 * @param lanes what command files' lanes may take
 */
public record Rules(
        int thresholdPercent,
        Foreign foreign,
        Pool pool,
        Estimates estimates,
        ModelCache models,
        OptionalInt mostCpuTasks,
        LaneRules lanes) {

    public static final Rules USUAL = new Rules(20, Foreign.YIELD, Pool.ALL);

    public Rules {
        if (thresholdPercent < 1 || thresholdPercent > 100) {
            throw new IllegalArgumentException(
                    "memory_threshold_percent is from 1 to 100, not " + thresholdPercent);
        }
    }

    public Rules(int thresholdPercent, Foreign foreign, Pool pool) {
        this(
                thresholdPercent,
                foreign,
                pool,
                Estimates.USUAL,
                ModelCache.USUAL,
                OptionalInt.empty(),
                LaneRules.USUAL);
    }

    public Rules with(Estimates other) {
        return new Rules(thresholdPercent, foreign, pool, other, models, mostCpuTasks, lanes);
    }

    public Rules with(LaneRules other) {
        return new Rules(thresholdPercent, foreign, pool, estimates, models, mostCpuTasks, other);
    }
}
