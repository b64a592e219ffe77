package dev.berth.core.plan;

import dev.berth.core.plan.Score.Part;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;

/**
 * The model's affinity to the card, and how little the card has to do.
 *
 * @param mostModels that a card keeps loaded
 */
public record Balanced(int mostModels) implements Placement {

    private static final double MOST_IDLE_POINTS = 10;

    @Override
    public Score score(Ask ask, Spot spot, Instant now) {
        long total = spot.state().card().totalMib();
        return Score.sum(
                new Part("model_affinity", affinity(ask, spot)),
                new Part("memory", total == 0 ? 0 : (double) spot.freeMib() / total * 40),
                new Part("utilization", unused(spot.utilizationPercent()) * 30),
                new Part("coolness", unused(spot.temperatureC()) * 20),
                new Part("idle", idle(spot.idle(now))));
    }

    private double affinity(Ask ask, Spot spot) {
        if (spot.hasLoaded(ask.model())) {
            return 100;
        }
        return spot.loaded().size() < mostModels ? 50 : 0;
    }

    /** What the driver does not say speaks for nothing. */
    private static double unused(OptionalInt ofAHundred) {
        return ofAHundred.isPresent() ? (100 - ofAHundred.getAsInt()) / 100.0 : 0;
    }

    private static double idle(Duration time) {
        return Math.min(MOST_IDLE_POINTS, time.toMillis() / 60_000.0);
    }

    @Override
    public String word() {
        return "balanced";
    }
}
