package dev.berth.core.plan;

import dev.berth.core.plan.Score.Part;

import java.time.Instant;

/** The model already there, much free memory, a cool card. */
public record BestScore() implements Placement {

    @Override
    public Score score(Ask ask, Spot spot, Instant now) {
        return Score.sum(
                new Part("model_loaded", spot.hasLoaded(ask.model()) ? 100 : 0),
                new Part("memory_free", spot.freeMib() / 1000.0),
                new Part("coolness", spot.temperatureC().stream().map(t -> 100 - t).sum() / 10.0));
    }

    @Override
    public String word() {
        return "best_score";
    }
}
