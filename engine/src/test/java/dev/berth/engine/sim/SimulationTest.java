package dev.berth.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;

/** Simulated lifetimes with kills, reboots, full disks and late reports, each run twice. */
class SimulationTest {

    private static final int STEPS = 1000;

    /**
     * A simulation logs thousands of lines. The field keeps the logger reachable, so that its level
     * is not reset.
     */
    private static final Logger ENGINE = Logger.getLogger("dev.berth.engine");

    @BeforeAll
    static void quiet() {
        ENGINE.setLevel(Level.OFF);
    }

    @Test
    void noSimulationViolatesAnInvariant() throws Exception {
        liveThrough(0, Long.getLong("berth.simulation.seeds", 200));
    }

    @Test
    @Tag("soak-simulation")
    void noneOfManySimulationsViolatesAnInvariant() throws Exception {
        long from = Long.getLong("berth.soak.from", 1_000_000);
        liveThrough(from, from + Long.getLong("berth.soak.seeds", 10_000));
    }

    /** Runs as many simulations in parallel as there are cores. The first failure ends all. */
    private static void liveThrough(long from, long to) throws Exception {
        try (var cores = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            var lives =
                    LongStream.range(from, to)
                            .mapToObj(seed -> cores.submit(() -> liveTwice(seed)))
                            .toList();
            try {
                for (var life : lives) {
                    life.get();
                }
            } finally {
                cores.shutdownNow();
            }
        }
    }

    private static void liveTwice(long seed) {
        try {
            var story = Simulation.run(seed, STEPS);
            assertThat(Simulation.run(seed, STEPS))
                    .as("seed %d lived again", seed)
                    .isEqualTo(story);
        } catch (Simulation.Violation | RuntimeException broken) {
            throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
        }
    }
}
