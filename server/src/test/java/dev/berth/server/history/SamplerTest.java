package dev.berth.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.line.Fifo;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.TaskId;
import dev.berth.engine.State;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.History.Grain;
import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Span;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.History.Total;
import dev.berth.testkit.MemoryHistory;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

class SamplerTest {

    private static final Instant NOON = Instant.parse("2031-05-06T12:00:00Z");
    private static final AttemptId ATTEMPT = new AttemptId(new TaskId(7), 1);
    private static final AttemptId OTHER = new AttemptId(new TaskId(8), 1);
    private static final Subject CARD = new Subject.OfCard(card(0));
    private static final Subject TASK = new Subject.OfAttempt(ATTEMPT);

    private final MemoryHistory history = new MemoryHistory();
    private final Sampler sampler = new Sampler(history);
    private final Charts charts = new Charts(history, sampler::fresh);
    private State state = State.of(new MemoryStore().open(), new Fifo(), 0);

    // --- when ---

    @Test
    void aMinuteIsKeptWhenTheNextOneBeginsAndIsSeenBefore() throws Exception {
        read(0, reading(500, 90, Optional.of(List.of())));
        look(0, 60);
        assertThat(kept(CARD)).isEmpty();
        assertThat(seen(CARD, 60)).hasSize(60);

        look(60, 62);
        assertThat(kept(CARD)).hasSize(60);
        assertThat(seen(CARD, 62)).hasSize(62);
    }

    @Test
    void whatAnEndedAttemptLeavesIsKeptAtOnce() {
        read(0, reading(500, 90, Optional.of(List.of())));
        var attempt = grant(ATTEMPT, 0);
        look(0, 10);
        assertThat(kept(TASK)).isEmpty();

        apply(attempt.after(new PhaseMove.End(new Ending.Exited(0), NOON.plusSeconds(10))));
        look(10, 11);
        assertThat(kept(TASK)).hasSize(10);
        assertThat(kept(CARD)).isEmpty();
        assertThat(sampler.fresh(TASK)).isEmpty();
    }

    @Test
    void whatACardThatCannotBeReadDidIsNotInvented() throws Exception {
        read(0, reading(500, 90, Optional.of(List.of())));
        look(0, 3);
        state = state.with(new CardState.Unknown(known(0), "no answer"));
        look(3, 6);
        read(0, reading(700, 90, Optional.of(List.of())));
        look(6, 7);

        assertThat(seen(CARD, 7))
                .extracting(point -> point.at() - NOON.getEpochSecond())
                .containsExactly(0L, 1L, 2L, 6L);
    }

    @Test
    void whatAFailingStoreDoesNotTakeIsOfferedAgainAMinuteLater() {
        read(0, reading(500, 90, Optional.of(List.of())));
        history.fail(true);
        look(0, 200);
        assertThat(kept(CARD)).isEmpty();
        assertThat(sampler.fresh(CARD)).hasSize(4);

        history.fail(false);
        look(200, 300);
        assertThat(kept(CARD)).hasSize(240);
        assertThat(sampler.fresh(CARD)).hasSize(1);
    }

    @Test
    void closingKeepsTheMinuteThatIsUnderWay() throws Exception {
        read(0, reading(500, 90, Optional.of(List.of())));
        look(0, 5);
        sampler.close();

        assertThat(kept(CARD)).hasSize(5);
    }

    // --- what ---

    @Test
    void theMeanLoadOfASecondIsPreferredToTheLastWord() throws Exception {
        read(0, reading(500, 40, Optional.of(List.of())));
        look(0, 1);
        var silent =
                new Reading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.of(99),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        Optional.empty());
        read(0, silent);
        look(1, 2);

        var at = NOON.getEpochSecond();
        assertThat(seen(CARD, 2))
                .containsExactly(
                        new Point(at, Total.of(500), Total.of(40), Total.of(61)),
                        new Point(at + 1, Total.NONE, Total.of(99), Total.NONE));
    }

    @Test
    void anAttemptHasWhatItsOwnProcessesHoldOnAllItsCards() throws Exception {
        read(0, reading(9000, 80, Optional.of(List.of(ours(1000), ours(24), foreign()))));
        read(1, reading(9000, 41, Optional.of(List.of(ours(500)))));
        grant(ATTEMPT, 0, 1);
        look(0, 1);

        assertThat(seen(TASK, 1))
                .containsExactly(
                        new Point(
                                NOON.getEpochSecond(), Total.of(1524), Total.of(61), Total.of(61)));
    }

    @Test
    void whereTheDriverNamesNoProcessTheWholeCardCountsForWhoHoldsItAlone() throws Exception {
        read(0, reading(9000, 80, Optional.empty()));
        grant(ATTEMPT, 0);
        look(0, 1);
        grant(OTHER, 0);
        look(1, 2);

        assertThat(seen(TASK, 2))
                .extracting(Point::memoryMib)
                .containsExactly(Total.of(9000), Total.NONE);
    }

    @Test
    void memoryOfWhichAPartIsUnknownIsUnknown() throws Exception {
        read(0, reading(9000, 80, Optional.of(List.of(ours(1000)))));
        grant(ATTEMPT, 0, 1);
        state = state.with(new CardState.Unknown(known(1), "no answer"));
        look(0, 1);

        assertThat(seen(TASK, 1))
                .containsExactly(
                        new Point(NOON.getEpochSecond(), Total.NONE, Total.of(80), Total.of(61)));
    }

    @Test
    void aTaskWithoutCardsHasNoHistory() throws Exception {
        grant(ATTEMPT);
        look(0, 3);

        assertThat(seen(TASK, 3)).isEmpty();
    }

    // --- charts ---

    @Test
    void aLongTimeIsDrawnInFewPointsThatLoseNoPeak() throws Exception {
        read(0, reading(100, 10, Optional.of(List.of())));
        look(0, 1800);
        read(0, reading(80_000, 10, Optional.of(List.of())));
        look(1800, 1801);
        read(0, reading(100, 10, Optional.of(List.of())));
        look(1801, 3600);

        var now = NOON.plusSeconds(3600);
        var chart = charts.of(CARD, NOON, now, now);
        assertThat(chart.stepSeconds()).isEqualTo(5);
        assertThat(chart.points()).hasSize(720);
        assertThat(chart.points().get(360).memoryMib()).isEqualTo(new Total(5, 80_400, 80_000));
    }

    @Test
    void theStepFitsTheTimeAndWhatIsStillKnownOfIt() throws Exception {
        assertThat(step(60, 0)).isEqualTo(1);
        assertThat(step(3600, 0)).isEqualTo(5);
        assertThat(step(600, 7200)).isEqualTo(60);
        assertThat(step(6 * 3600, 0)).isEqualTo(60);
        assertThat(step(86_400, 0)).isEqualTo(120);
        assertThat(step(7 * 86_400, 0)).isEqualTo(900);
        assertThat(step(30 * 86_400, 0)).isEqualTo(3600);
        assertThat(step(365 * 86_400, 0)).isEqualTo(86_400);
    }

    private long step(long seconds, long ago) throws Exception {
        var to = NOON.minusSeconds(ago);
        return charts.of(CARD, to.minusSeconds(seconds), to, NOON).stepSeconds();
    }

    // --- in few words ---

    private void look(int from, int to) {
        IntStream.range(from, to).forEach(at -> sampler.look(state, NOON.plusSeconds(at)));
    }

    private List<Point> kept(Subject subject) {
        var all = new Span(subject, Grain.SECOND, NOON, NOON.plusSeconds(3600));
        return history.read(all, List.of());
    }

    private List<Point> seen(Subject subject, int seconds) throws Exception {
        var now = NOON.plusSeconds(seconds);
        return charts.of(subject, NOON, now, now).points();
    }

    private void read(int index, Reading reading) {
        state = state.with(new CardState.Readable(known(index), reading));
    }

    private static CardId card(int index) {
        return new CardId("host", "GPU-" + index);
    }

    private static Card known(int index) {
        return new Card(card(index), index, "A", 100_000);
    }

    private Attempt grant(AttemptId id, int... cards) {
        var claims =
                IntStream.of(cards).mapToObj(index -> new Claim(card(index), 0, false)).toList();
        var attempt = new Attempt(id, "host", 1, "boot", claims, NOON, new Phase.Starting());
        apply(attempt);
        return attempt;
    }

    private void apply(Attempt attempt) {
        state = state.apply(new Change.AttemptSaved(attempt));
    }

    private static Reading reading(long used, int percent, Optional<List<Occupant>> occupants) {
        return new Reading(
                OptionalLong.of(used),
                OptionalLong.of(100_000 - used),
                OptionalInt.of(3),
                OptionalInt.of(61),
                OptionalInt.of(percent),
                occupants);
    }

    private static Occupant ours(long used) {
        return occupant(used, new Whose.Ours(ATTEMPT));
    }

    private static Occupant foreign() {
        return occupant(7000, new Whose.User("bob", false));
    }

    private static Occupant occupant(long used, Whose whose) {
        return new Occupant(
                42,
                OptionalLong.of(used),
                Occupant.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }
}
