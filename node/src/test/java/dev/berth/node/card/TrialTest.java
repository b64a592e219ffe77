package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** One card's way back, on a clock that the test turns. */
class TrialTest {

    private static final Card CARD = new Card(new CardId("here", "A"), 3, "A100", 1000);
    private static final Optional<String> NOTHING = Optional.empty();

    private final Trial trial = new Trial(CARD.id(), Duration.ofSeconds(30), at(0));

    @Test
    void aCardThatAnswersForThreeSecondsIsTriedAndThenPasses() {
        well(1);
        well(2);
        well(3);
        assertThat(trial.step(NOTHING, at(3))).isEqualTo(new Trial.Step.Wait());
        well(4);
        var step = trial.step(NOTHING, at(4));
        assertThat(step).isEqualTo(new Trial.Step.Try(3, 0));
        assertThat(trial.step(NOTHING, at(100))).as("it is out").isEqualTo(new Trial.Step.Wait());
        trial.tried(0, Optional.empty());
        assertThat(trial.step(NOTHING, at(100))).isEqualTo(new Trial.Step.Passed());
    }

    @Test
    void whereSomebodyComputesTheCardIsNotTried() {
        var theirs =
                new Occupant(
                        9,
                        OptionalLong.of(500),
                        Occupant.Kind.COMPUTE,
                        "python",
                        new Whose.User("bob", false),
                        Optional.empty());
        for (int second = 1; second <= 4; second++) {
            var busy =
                    ((CardState.Readable) readable()).reading().with(Optional.of(List.of(theirs)));
            trial.read(Optional.of(new CardState.Readable(CARD, busy)), at(second), at(second));
        }
        assertThat(trial.step(NOTHING, at(4))).isEqualTo(new Trial.Step.Passed());
    }

    @Test
    void manyQuickReadingsAreNotThreeSecondsAndAnOldOneIsNone() {
        trial.read(Optional.of(readable()), at(0) - 1, at(1));
        for (int i = 0; i < 40; i++) {
            well(2);
        }
        well(4);
        assertThat(trial.step(NOTHING, at(4))).isEqualTo(new Trial.Step.Wait());
        well(5);
        assertThat(trial.step(NOTHING, at(5))).isInstanceOf(Trial.Step.Try.class);
    }

    @Test
    void oneThatStaysAwayFailsWhenItsTimeIsUp() {
        for (int second = 1; second < 30; second++) {
            trial.read(Optional.of(new CardState.Failed(CARD, "gone")), at(second), at(second));
            assertThat(trial.step(NOTHING, at(second))).isEqualTo(new Trial.Step.Wait());
        }
        assertThat(trial.step(NOTHING, at(30))).isEqualTo(new Trial.Step.Failed("gone"));
    }

    @Test
    void whatTheDriverComplainsOfKeepsItOut() {
        for (int second = 1; second < 30; second++) {
            well(second);
            assertThat(trial.step(Optional.of("hot"), at(second))).isEqualTo(new Trial.Step.Wait());
        }
        assertThat(trial.step(Optional.of("hot"), at(30))).isEqualTo(new Trial.Step.Failed("hot"));
    }

    @Test
    void aSignMeanwhileBeginsTheWhileAnewAlsoWhileItIsTried() {
        well(1);
        well(2);
        well(5);
        assertThat(trial.step(NOTHING, at(5))).isEqualTo(new Trial.Step.Try(3, 0));
        trial.against("Xid 79");
        trial.tried(0, Optional.of("it crashed"));
        assertThat(trial.step(NOTHING, at(6))).isEqualTo(new Trial.Step.Wait());
        well(7);
        well(8);
        well(10);
        assertThat(trial.step(NOTHING, at(10))).isEqualTo(new Trial.Step.Try(3, 1));
        trial.tried(1, Optional.of("it crashed"));
        assertThat(trial.step(NOTHING, at(11))).isEqualTo(new Trial.Step.Failed("it crashed"));
    }

    @Test
    void oneWhoseMemoryCannotBeReadDoesNotAnswerWell() {
        var silent =
                new Reading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.of(1),
                        OptionalInt.of(1));
        for (int second = 1; second <= 9; second++) {
            trial.read(Optional.of(new CardState.Readable(CARD, silent)), at(second), at(second));
        }
        assertThat(trial.step(NOTHING, at(9))).isEqualTo(new Trial.Step.Wait());
        assertThat(trial.step(NOTHING, at(30)))
                .isEqualTo(new Trial.Step.Failed("its memory cannot be read"));
    }

    private void well(long second) {
        trial.read(Optional.of(readable()), at(second), at(second));
    }

    private static CardState readable() {
        return new CardState.Readable(
                CARD,
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(1000),
                        OptionalInt.of(0),
                        OptionalInt.of(30)));
    }

    private static long at(long second) {
        return TimeUnit.SECONDS.toNanos(second) - 5;
    }
}
