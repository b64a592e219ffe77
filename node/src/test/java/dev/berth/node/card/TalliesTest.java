package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Figures of known profiles, on a clock that the test turns. */
class TalliesTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final AttemptId TWO = new AttemptId(new TaskId(2), 1);

    private final Holders holders = new Holders();
    private final Tallies tallies = new Tallies(holders);

    @Test
    void eachReadingCountsForAsLongAsItWasTheLatest() {
        holds(ONE, "A");
        tallies.read(List.of(card("A", 10, own(ONE, 100))), at(0));
        tallies.read(List.of(card("A", 90, own(ONE, 300))), at(1000));
        tallies.read(List.of(card("A", 40, own(ONE, 200))), at(2000));
        assertThat(tallies.of(ONE, at(4000)))
                .contains(
                        new Consumption(
                                300,
                                200,
                                OptionalInt.of(90),
                                OptionalInt.of(45),
                                Duration.ofSeconds(4)));
    }

    @Test
    void thePeakIsThatOfOneCardAndMeansAreOverItsCards() {
        holds(ONE, "A", "B");
        tallies.read(
                List.of(
                        card("A", 100, own(ONE, 300), own(ONE, 100)),
                        card("B", 50, own(ONE, 200)),
                        card("C", 7, own(TWO, 900))),
                at(0));
        assertThat(tallies.of(ONE, at(1000)).orElseThrow())
                .isEqualTo(
                        new Consumption(
                                400,
                                300,
                                OptionalInt.of(100),
                                OptionalInt.of(75),
                                Duration.ofSeconds(1)));
    }

    @Test
    void itIsWatchedFromTheFirstTimeItIsOnACardAndOneThatNeverWasHasNone() {
        holds(ONE, "A");
        tallies.read(List.of(card("A", 0)), at(0));
        assertThat(tallies.of(ONE, at(500))).isEmpty();
        tallies.read(List.of(card("A", 0, own(ONE, 80))), at(60_000));
        tallies.read(List.of(card("A", 0)), at(61_000));
        assertThat(tallies.of(ONE, at(62_000)).orElseThrow())
                .satisfies(used -> assertThat(used.meanMib()).isEqualTo(40))
                .satisfies(used -> assertThat(used.watched()).hasSeconds(2));
        tallies.forget(ONE);
        assertThat(tallies.of(ONE, at(62_000))).isEmpty();
    }

    @Test
    void oneThatWasSeenForNoTimeAtAllWasWhatItWas() {
        holds(ONE, "A");
        tallies.read(List.of(card("A", 30, own(ONE, 80))), at(0));
        assertThat(tallies.of(ONE, at(0)).orElseThrow())
                .satisfies(used -> assertThat(used.meanMib()).isEqualTo(80))
                .satisfies(used -> assertThat(used.meanPercent()).hasValue(30))
                .satisfies(used -> assertThat(used.watched()).isPositive());
    }

    @Test
    void whatNobodySawIsNotCounted() {
        holds(ONE, "A");
        tallies.read(List.of(card("A", 50, own(ONE, 100))), at(0));
        tallies.read(List.of(unknown("A")), at(1000));
        tallies.read(List.of(card("A", 50, own(ONE, 100))), at(90_000));
        assertThat(tallies.of(ONE, at(91_000)).orElseThrow().watched()).hasSeconds(2);
        assertThat(tallies.of(ONE, at(3_000_000)).orElseThrow().watched())
                .as("a suspended machine")
                .hasSeconds(7);
    }

    @Test
    void theCardsMemoryStandsForOnesOwnOnlyWhereOneIsAlone() {
        holds(ONE, "A");
        tallies.read(List.of(card("A", 10, silent(ONE))), at(0));
        assertThat(tallies.of(ONE, at(1000)).orElseThrow().peakMib()).as("all of it").isEqualTo(7);

        var foreign = new Whose.User("mei", false);
        tallies.forget(ONE);
        tallies.read(List.of(card("A", 10, silent(ONE), occupant(foreign, 5))), at(2000));
        assertThat(tallies.of(ONE, at(3000)).orElseThrow())
                .satisfies(used -> assertThat(used.watched()).isZero())
                .satisfies(used -> assertThat(used.meanPercent()).hasValue(10));

        holds(TWO, "A");
        tallies.forget(ONE);
        tallies.read(List.of(card("A", 10, silent(ONE))), at(4000));
        assertThat(tallies.of(ONE, at(5000)).orElseThrow().watched()).isZero();
    }

    @Test
    void whereNoProcessesAreToldOfTheHolderIsWhoIsThere() {
        holds(ONE, "A");
        tallies.read(List.of(readable("A", 10, Optional.empty())), at(0));
        assertThat(tallies.of(ONE, at(1000)).orElseThrow().peakMib()).isEqualTo(7);
    }

    @Test
    void theNextServerGoesOnFromWhatWasKept(@TempDir Path folder) throws Exception {
        holds(ONE, "A");
        tallies.read(List.of(card("A", 20, own(ONE, 100))), at(0));
        assertThat(tallies.due(Tallies.KEPT_EVERY, at(9999))).isEmpty();
        for (int second = 1; second <= 10; second++) {
            tallies.read(List.of(card("A", 20, own(ONE, 100))), at(1000L * second));
        }
        var due = tallies.due(Tallies.KEPT_EVERY, at(10_000));
        assertThat(tallies.due(Tallies.KEPT_EVERY, at(10_001))).isEmpty();
        var file = new TallyFile(folder.resolve("consumption"));
        assertThat(file.read()).isEmpty();
        file.write(due.get(ONE));
        assertThat(Files.getPosixFilePermissions(file.path())).hasSize(2);

        var next = new Tallies(holders);
        next.resume(ONE, file.read().orElseThrow(), at(50_000));
        next.read(List.of(card("A", 80, own(ONE, 400))), at(60_000));
        assertThat(next.of(ONE, at(65_000)).orElseThrow())
                .isEqualTo(
                        new Consumption(
                                400,
                                200,
                                OptionalInt.of(80),
                                OptionalInt.of(40),
                                Duration.ofSeconds(15)));
        Files.writeString(file.path(), "1 2 three 4 5 6 7");
        assertThat(file.read()).isEmpty();
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pipesAndLinksInPlaceOfItsFileAreNeitherReadNorWritten(@TempDir Path folder)
            throws Exception {
        var file = new TallyFile(folder.resolve("consumption"));
        assertThat(new ProcessBuilder("mkfifo", file.path().toString()).start().waitFor()).isZero();
        assertThat(file.read()).isEmpty();
        Files.delete(file.path());
        var elsewhere = Files.writeString(folder.resolve("elsewhere"), "1 2 3 4 5 6 7");
        Files.createSymbolicLink(file.path(), elsewhere);
        assertThat(file.read()).isEmpty();

        Files.createSymbolicLink(folder.resolve("consumption.new"), elsewhere);
        var tally = new Tally(new Tally.Sum(7, 6, 5), new Tally.Sum(4, 3, 2));
        file.write(tally);
        assertThat(file.read()).contains(tally);
        assertThat(elsewhere).hasContent("1 2 3 4 5 6 7");
    }

    private void holds(AttemptId attempt, String... uuids) {
        var claims =
                Stream.of(uuids).map(uuid -> new Claim(new CardId("here", uuid), 0, true)).toList();
        holders.granted(
                new Attempt(
                        attempt, "here", 1, "boot", claims, Instant.EPOCH, new Phase.Starting()));
    }

    /** With 7 MiB in use, and so much to do. */
    private static CardState card(String uuid, int percent, Occupant... there) {
        return readable(uuid, percent, Optional.of(List.of(there)));
    }

    private static CardState readable(
            String uuid, int percent, Optional<List<Occupant>> occupants) {
        return new CardState.Readable(
                new Card(new CardId("here", uuid), 0, "A100", 1000),
                new Reading(
                        OptionalLong.of(7),
                        OptionalLong.of(993),
                        OptionalInt.of(percent),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        occupants));
    }

    private static CardState unknown(String uuid) {
        return new CardState.Unknown(new Card(new CardId("here", uuid), 0, "A100", 1000), "so");
    }

    private static Occupant own(AttemptId attempt, long mib) {
        return occupant(new Whose.Ours(attempt), mib);
    }

    private static Occupant silent(AttemptId attempt) {
        return occupant(new Whose.Ours(attempt), -1);
    }

    private static Occupant occupant(Whose whose, long mib) {
        return new Occupant(
                7,
                mib < 0 ? OptionalLong.empty() : OptionalLong.of(mib),
                Occupant.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis) - 5;
    }
}
