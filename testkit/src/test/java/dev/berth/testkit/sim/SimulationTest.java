package dev.berth.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;

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
    void noLifeBreaksARule() throws Exception {
        liveThrough(0, Long.getLong("berth.simulation.seeds", 200));
    }

    @Test
    @Tag("soak-simulation")
    void noneOfVeryManyLivesBreaksARule() throws Exception {
        long from = Long.getLong("berth.soak.from", 1_000_000);
        liveThrough(from, from + Long.getLong("berth.soak.seeds", 10_000));
    }

    /** As many at once as there are cores: they share nothing. The first that fails ends it. */
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
            var story = World.live(seed, STEPS);
            assertThat(World.live(seed, STEPS)).as("seed %d lived again", seed).isEqualTo(story);
        } catch (World.Violation | RuntimeException broken) {
            throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
        }
    }
}
