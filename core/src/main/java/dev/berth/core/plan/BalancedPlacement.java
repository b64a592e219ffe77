package dev.berth.core.plan;

import dev.berth.core.plan.Score.ScorePart;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;

/**
 * Prefers a GPU that has the model loaded, and then the least loaded GPU.
 *
 * @param maxModels maximum number of models that a GPU keeps loaded
 */
public record BalancedPlacement(int maxModels) implements PlacementPolicy {

    private static final double MAX_IDLE_POINTS = 10;

    @Override
    public Score score(GpuRequirement ask, GpuView view, Instant now) {
        long total = view.state().gpu().totalMib();
        return Score.sum(
                new ScorePart("model_affinity", affinity(ask, view)),
                new ScorePart("memory", total == 0 ? 0 : (double) view.freeMib() / total * 40),
                new ScorePart("utilization", unused(view.utilizationPercent()) * 30),
                new ScorePart("coolness", unused(view.temperatureC()) * 20),
                new ScorePart("idle", idle(view.idleTime(now))));
    }

    private double affinity(GpuRequirement ask, GpuView view) {
        if (view.hasLoaded(ask.model())) {
            return 100;
        }
        return view.loadedModels().size() < maxModels ? 50 : 0;
    }

    /** A value that the driver does not report gives no points. */
    private static double unused(OptionalInt percent) {
        return percent.isPresent() ? (100 - percent.getAsInt()) / 100.0 : 0;
    }

    private static double idle(Duration time) {
        return Math.min(MAX_IDLE_POINTS, time.toMillis() / 60_000.0);
    }

    @Override
    public String configName() {
        return "balanced";
    }
}
