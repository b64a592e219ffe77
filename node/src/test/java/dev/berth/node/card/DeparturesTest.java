package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Fact.Departure;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

class DeparturesTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final List<Claim> CLAIMS = List.of(new Claim(new CardId("here", "A"), 0, true));

    private final CardBook book = new CardBook("here", at(0));
    private final Departures departures = new Departures();

    @Test
    void aReadingBegunBeforeTheEndProvesNothing() {
        end(1000);
        read(Optional.of(List.of()), 0, 1010);
        assertThat(departures.judge(book, at(990), at(1010))).isEmpty();
        assertThat(departures.cameAfter(at(990))).isTrue();
        assertThat(departures.judge(book, at(1001), at(1020)))
                .containsExactly(new Departure(ONE, true));
        assertThat(departures.areAwaited(at(1030))).isFalse();
    }

    @Test
    void itIsOnTheCardAsLongAsAProcessOfItIsListed() {
        read(Optional.of(List.of(process(9, new Whose.Ours(ONE)))), 500, 0);
        end(1000);
        for (int second = 2; second < 60; second++) {
            assertThat(judge(1000L * second)).isEmpty();
        }
        assertThat(departures.areAwaited(at(10_999))).isTrue();
        assertThat(departures.areAwaited(at(11_001)))
                .as("not ten times a second for ever")
                .isFalse();
        read(Optional.of(List.of()), 0, 60_000);
        assertThat(judge(60_000)).containsExactly(new Departure(ONE, true));
    }

    @Test
    void aProcessThatCannotBeSeenMayBeItsForTenSeconds() {
        end(1000);
        read(Optional.of(List.of(process(9, new Whose.Unknown()))), 500, 1500);
        assertThat(judge(10_999)).isEmpty();
        assertThat(judge(11_000)).containsExactly(new Departure(ONE, false));
    }

    @Test
    void aProcessThatCouldNotBeSeenBeforeTheEndEitherIsAnothers() {
        read(Optional.of(List.of(process(9, new Whose.Unknown()))), 500, 0);
        end(1000);
        assertThat(judge(1100)).containsExactly(new Departure(ONE, true));
    }

    @Test
    void whereProcessesAreNotListedTheMemoryTellsOrTenSecondsPass() {
        end(1000);
        read(Optional.empty(), 50, 1500);
        assertThat(judge(1500)).isEmpty();
        read(Optional.empty(), 49, 1600);
        assertThat(judge(1600)).containsExactly(new Departure(ONE, true));
        end(2000);
        read(Optional.empty(), 500, 2500);
        assertThat(judge(11_999)).isEmpty();
        assertThat(judge(12_000)).containsExactly(new Departure(ONE, false));
    }

    @Test
    void nobodyDepartsWhileTheCardsCannotBeRead() {
        end(1000);
        book.failed("no", at(1500));
        assertThat(judge(30_000)).isEmpty();
    }

    private void end(long millis) {
        departures.add(ONE, CLAIMS, book, at(millis));
    }

    private List<Departure> judge(long millis) {
        return departures.judge(book, at(millis), at(millis));
    }

    private void read(Optional<List<Occupant>> occupants, long used, long millis) {
        book.answered(
                List.of(
                        new CardRow(
                                "A",
                                0,
                                "A100",
                                OptionalLong.of(1000),
                                new Reading(
                                        OptionalLong.of(used),
                                        OptionalLong.of(1000 - used),
                                        OptionalInt.of(0),
                                        OptionalInt.of(40),
                                        OptionalInt.empty(),
                                        occupants),
                                false)),
                at(millis));
    }

    private static Occupant process(long pid, Whose whose) {
        return new Occupant(
                pid,
                OptionalLong.of(500),
                Occupant.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
