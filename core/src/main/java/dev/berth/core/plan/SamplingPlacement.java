package dev.berth.core.plan;

import dev.berth.core.plan.Score.ScorePart;

import java.time.Instant;
import java.util.List;

/** Prefers the lowest utilization in the last second, then the most free memory. */
public record SamplingPlacement() implements PlacementPolicy {

    @Override
    public Score score(GpuRequirement ask, GpuView view, Instant now) {
        double load = view.meanUtilizationPercent().orElse(100);
        return new Score(
                List.of(
                        new ScorePart("mean_utilization", load),
                        new ScorePart("memory_free", view.freeMib())),
                100 - load,
                view.freeMib());
    }

    @Override
    public String configName() {
        return "sampling";
    }
}
