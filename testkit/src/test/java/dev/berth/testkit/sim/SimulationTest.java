package dev.berth.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Whole lives of a server, with kills, reboots, full disks and late news, each lived twice. */
class SimulationTest {

    private static final int STEPS = 1000;

    /**
     * A life in which everything breaks has thousands of lines to say; held here so that its level
     * stays.
     */
    private static final Logger ENGINE = Logger.getLogger("dev.berth.engine");

    @BeforeAll
    static void quiet() {
        ENGINE.setLevel(Level.OFF);
    }

    @Test
    void noLifeBreaksARule() {
        liveThrough(0, Long.getLong("berth.simulation.seeds", 200));
    }

    @Test
    @Tag("soak-simulation")
    void noneOfVeryManyLivesBreaksARule() {
        long from = Long.getLong("berth.soak.from", 1_000_000);
        liveThrough(from, from + Long.getLong("berth.soak.seeds", 10_000));
    }

    private static void liveThrough(long from, long to) {
        for (long seed = from; seed < to; seed++) {
            try {
                var story = World.live(seed, STEPS);
                assertThat(World.live(seed, STEPS))
                        .as("seed %d lived again", seed)
                        .isEqualTo(story);
            } catch (World.Violation | RuntimeException broken) {
                throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
            }
        }
    }
}
