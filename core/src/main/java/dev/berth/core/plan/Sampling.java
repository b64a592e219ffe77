package dev.berth.core.plan;

import dev.berth.core.plan.Score.Part;

import java.time.Instant;
import java.util.List;

/** The card that did least in the last second, then the one with most free memory. */
public record Sampling() implements Placement {

    @Override
    public Score score(Ask ask, Spot spot, Instant now) {
        double load = spot.meanUtilizationPercent().orElse(100);
        return new Score(
                List.of(
                        new Part("mean_utilization", load),
                        new Part("memory_free", spot.freeMib())),
                100 - load,
                spot.freeMib());
    }

    @Override
    public String word() {
        return "sampling";
    }
}
