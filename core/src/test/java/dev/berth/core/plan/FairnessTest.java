package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** The effect of fair share over days. */
class FairnessTest {

    private static final int CARDS = 8;

    /** Independent of when the second user arrives and how much the first has used by then. */
    @ParameterizedTest(name = "ten tasks {0} minutes after a thousand")
    @ValueSource(ints = {0, 1, 37, 600, 2000})
    void manyTasksOfOneUserDoNotDelayAnotherUser(int minutes) {
        var lab = new SchedulingSimulation(new FairShareOrder(UserWeights.EQUAL), CARDS);
        crowd(lab, new Random(minutes));
        few(lab, minutes, new Random(1));
        lab.live(Duration.ofDays(60));

        var alone = new SchedulingSimulation(new FairShareOrder(UserWeights.EQUAL), CARDS / 2);
        few(alone, minutes, new Random(1));
        alone.live(Duration.ofDays(60));

        assertThat(lab.waits.get("ann")).hasSize(1000);
        assertThat(lab.meanWait("bob")).isLessThanOrEqualTo(alone.meanWait("bob").multipliedBy(2));
    }

    /** Proves that the result above is not caused by the load: FIFO does not reach it. */
    @ParameterizedTest
    @ValueSource(ints = {37})
    void withoutFairShareTheSecondUserWaitsForAllTasksOfTheFirst(int minutes) {
        var lab = new SchedulingSimulation(new PriorityOrder(UserWeights.EQUAL), CARDS);
        crowd(lab, new Random(minutes));
        few(lab, minutes, new Random(1));
        lab.live(Duration.ofDays(60));
        assertThat(lab.meanWait("bob")).isGreaterThan(Duration.ofDays(1));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void weightThreeAgainstOneGivesThreeTimesTheCards(long seed) {
        var weights = new TreeMap<>(Map.of("ann", new UserWeights.UserWeight(3, false)));
        assertThat(share(new FairShareOrder(new UserWeights(weights)), seed)).isBetween(2.7, 3.3);
        assertThat(share(new FairShareOrder(UserWeights.EQUAL), seed)).isBetween(0.9, 1.1);
    }

    /** Ann's GPU time divided by Bob's, while both always have waiting tasks. */
    private static double share(QueueOrder order, long seed) {
        var lab = new SchedulingSimulation(order, CARDS);
        var random = new Random(seed);
        for (int i = 0; i < 6000; i++) {
            lab.comes(Duration.ZERO, "ann", length(random));
            lab.comes(Duration.ZERO, "bob", length(random));
        }
        lab.live(Duration.ofDays(4));
        return lab.cardSeconds.get("ann") / lab.cardSeconds.get("bob");
    }

    private static void crowd(SchedulingSimulation lab, Random random) {
        for (int i = 0; i < 1000; i++) {
            lab.comes(Duration.ZERO, "ann", length(random));
        }
    }

    private static void few(SchedulingSimulation lab, int minutes, Random random) {
        for (int i = 0; i < 10; i++) {
            lab.comes(Duration.ofMinutes(minutes), "bob", length(random));
        }
    }

    private static Duration length(Random random) {
        return Duration.ofSeconds(300 + random.nextInt(3300));
    }
}
