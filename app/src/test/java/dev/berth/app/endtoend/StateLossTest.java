package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Files of a home are deleted, truncated, replaced by older ones and changed at random while eight
 * tasks run. The tasks themselves record what happened.
 */
final class StateLossTest {

    private static final int SHORT_ROUNDS = 3;

    @Test
    @Tag("slow")
    void noTaskRunsTwiceInAFewRounds() {
        run(SHORT_ROUNDS, Long.getLong("berth.soak.seed", 11));
    }

    @Test
    @Tag("soak-state")
    void noTaskRunsTwiceInManyRounds() {
        run(
                Integer.getInteger("berth.soak.rounds", 300),
                Long.getLong("berth.soak.seed", System.nanoTime()));
    }

    private static void run(int rounds, long seed) {
        System.out.printf("state loss: %d rounds, seed %d%n", rounds, seed);
        var outcomes = new TreeMap<String, Integer>();
        var random = new Random(seed);
        for (int round = 1; round <= rounds; round++) {
            var roundSeed = random.nextLong();
            var fault = StateFault.choose(new Random(roundSeed));
            var where = "round " + round + " of seed " + seed + ": " + fault;
            try (var harness = new ServerHarness()) {
                var world = new StateLossRound(harness, new Random(roundSeed));
                world.run(fault);
                assertThat(world.violations()).as(where).isEmpty();
                outcomes.merge(world.outcome(), 1, Integer::sum);
                System.out.println(where + ": " + world.outcome());
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(where, e);
            }
        }
        print(rounds, seed, outcomes);
    }

    private static void print(int rounds, long seed, Map<String, Integer> outcomes) {
        System.out.printf(
                "state loss: %d rounds, seed %d: 0 second copies, 0 GPUs given twice, 0"
                        + " acknowledged tasks silently gone; %s%n",
                rounds, seed, outcomes);
    }

    /** Waits for a condition that a loaded machine reaches late. */
    static void await(String what, BooleanSupplier condition) {
        eventually(Duration.ofMinutes(5), what, condition::getAsBoolean);
    }
}
