package dev.berth.core.plan;

import dev.berth.core.plan.Score.ScorePart;

import java.time.Instant;

/** Prefers a GPU that has the model loaded, much free memory and a low temperature. */
public record BestScorePlacement() implements PlacementPolicy {

    @Override
    public Score score(GpuRequirement ask, GpuView view, Instant now) {
        return Score.sum(
                new ScorePart("model_loaded", view.hasLoaded(ask.model()) ? 100 : 0),
                new ScorePart("memory_free", view.freeMib() / 1000.0),
                new ScorePart(
                        "coolness", view.temperatureC().stream().map(t -> 100 - t).sum() / 10.0));
    }

    @Override
    public String configName() {
        return "best_score";
    }
}
