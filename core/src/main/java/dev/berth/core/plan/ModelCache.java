package dev.berth.core.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates which models are loaded on a GPU (LRU).
 *
 * @param maxModels maximum number of models; the least recently used one is dropped
 * @param timeToLive a model that was not used for this long is dropped
 * @param isWarmAwaited a task waits for a worker at work where that is faster than a load
 */
public record ModelCache(int maxModels, Duration timeToLive, boolean isWarmAwaited) {

    public static final ModelCache DEFAULT = new ModelCache(2, Duration.ofHours(1));

    public ModelCache(int maxModels, Duration timeToLive) {
        this(maxModels, timeToLive, false);
    }

    public record Use(String model, Instant at) {}

    /** The uses after another one, oldest first. */
    public List<Use> afterUse(List<Use> uses, String model, Instant at) {
        var after = new ArrayList<>(uses);
        after.removeIf(use -> use.model().equals(model));
        after.add(new Use(model, at));
        return List.copyOf(after.subList(Math.max(0, after.size() - maxModels), after.size()));
    }

    public List<String> loaded(List<Use> uses, Instant now) {
        return uses.stream()
                .filter(use -> now.isBefore(use.at().plus(timeToLive)))
                .map(Use::model)
                .toList();
    }
}
