package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.line.ByPriority;
import dev.berth.core.line.FairShare;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** What fair share comes to over days. */
class FairnessTest {

    private static final int CARDS = 8;

    /** Whenever the second comes, and however much the first has had by then. */
    @ParameterizedTest(name = "ten tasks {0} minutes after a thousand")
    @ValueSource(ints = {0, 1, 37, 600, 2000})
    void aCrowdDoesNotKeepAnotherWaiting(int minutes) {
        var lab = new Lab(new FairShare(People.EQUAL), CARDS);
        crowd(lab, new Random(minutes));
        few(lab, minutes, new Random(1));
        lab.live(Duration.ofDays(60));

        var alone = new Lab(new FairShare(People.EQUAL), CARDS / 2);
        few(alone, minutes, new Random(1));
        alone.live(Duration.ofDays(60));

        assertThat(lab.waits.get("ann")).hasSize(1000);
        assertThat(lab.meanWait("bob")).isLessThanOrEqualTo(alone.meanWait("bob").multipliedBy(2));
    }

    /** The figure above is no accident of the load: first come, first served does not reach it. */
    @ParameterizedTest
    @ValueSource(ints = {37})
    void withoutItTheSecondWaitsForTheWholeCrowd(int minutes) {
        var lab = new Lab(new ByPriority(People.EQUAL), CARDS);
        crowd(lab, new Random(minutes));
        few(lab, minutes, new Random(1));
        lab.live(Duration.ofDays(60));
        assertThat(lab.meanWait("bob")).isGreaterThan(Duration.ofDays(1));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void weightThreeAgainstOneGivesThreeTimesTheCards(long seed) {
        var weights = new TreeMap<>(Map.of("ann", new People.Standing(3, false)));
        assertThat(share(new FairShare(new People(weights)), seed)).isBetween(2.7, 3.3);
        assertThat(share(new FairShare(People.EQUAL), seed)).isBetween(0.9, 1.1);
    }

    /** Ann's time on the cards over Bob's, while both always have something waiting. */
    private static double share(Order order, long seed) {
        var lab = new Lab(order, CARDS);
        var random = new Random(seed);
        for (int i = 0; i < 6000; i++) {
            lab.comes(Duration.ZERO, "ann", length(random));
            lab.comes(Duration.ZERO, "bob", length(random));
        }
        lab.live(Duration.ofDays(4));
        return lab.cardSeconds.get("ann") / lab.cardSeconds.get("bob");
    }

    private static void crowd(Lab lab, Random random) {
        for (int i = 0; i < 1000; i++) {
            lab.comes(Duration.ZERO, "ann", length(random));
        }
    }

    private static void few(Lab lab, int minutes, Random random) {
        for (int i = 0; i < 10; i++) {
            lab.comes(Duration.ofMinutes(minutes), "bob", length(random));
        }
    }

    private static Duration length(Random random) {
        return Duration.ofSeconds(300 + random.nextInt(3300));
    }
}
