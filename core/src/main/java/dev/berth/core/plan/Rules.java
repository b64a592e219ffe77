package dev.berth.core.plan;

/**
 * What a lab decides about its cards.
 *
 * @param thresholdPercent memory use from which a card counts as busy for tasks that name no memory
 */
public record Rules(int thresholdPercent, Foreign foreign, Pool pool) {

    public static final Rules USUAL = new Rules(20, Foreign.YIELD, Pool.ALL);

    public Rules {
        if (thresholdPercent < 1 || thresholdPercent > 100) {
            throw new IllegalArgumentException(
                    "memory_threshold_percent is from 1 to 100, not " + thresholdPercent);
        }
    }
}
