package dev.berth.core.plan;

import java.time.Instant;
import java.util.List;

/** Ranks the GPUs that fit. */
public interface PlacementPolicy {

    /** The GPU with the highest score is taken; on a tie, the one with the lowest index. */
    Score score(GpuRequirement ask, GpuView view, Instant now);

    /** The name in the configuration. */
    String configName();

    /** All policies; the API shows the scores of each, whichever is configured. */
    static List<PlacementPolicy> all(ModelCache models) {
        return List.of(
                new BestScorePlacement(),
                new BalancedPlacement(models.maxModels()),
                new SamplingPlacement());
    }
}
