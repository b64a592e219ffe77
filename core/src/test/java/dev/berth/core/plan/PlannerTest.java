package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.plan.WaitReason.CardRefused;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

class PlannerTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final Need ONE = Need.cards(1);

    private final Planner planner = new Planner(Constraint.standard(Rules.USUAL));
    private Waiting waiting = Waiting.NOBODY;
    private PersistentMap<CardId, CardState> cards = PersistentMap.empty();
    private PersistentMap<CardId, List<Hold>> holds = PersistentMap.empty();
    private PersistentMap<CardId, List<AttemptId>> leaving = PersistentMap.empty();
    private Optional<WaitReason.Paused> pause = Optional.empty();

    @Test
    void moreUrgentGoesFirstThenOlderThenLowerId() {
        card(0, "A", 0);
        queue(1, Priority.LOW, ONE);
        queue(2, Priority.NORMAL, ONE);
        queue(3, Priority.HIGH, ONE);
        queue(4, Priority.CRITICAL, ONE);
        queue(5, Priority.NORMAL, ONE);
        assertThat(startOrder()).containsExactly(4L, 3L, 2L, 5L, 1L);
    }

    @Test
    void aHeadThatWaitsKeepsItsTurn() {
        card(0, "A", 0);
        card(1, "A", 0);
        hold(1, 9);
        queue(1, Priority.NORMAL, Need.cards(2));
        queue(2, Priority.NORMAL, ONE);
        assertThat(starts()).isEmpty();
    }

    @Test
    void aHeadThatNoCardSetCanServeBlocksNobody() {
        card(0, "A", 0);
        queue(1, Priority.NORMAL, Need.cards(2));
        queue(2, Priority.NORMAL, ONE);
        assertThat(starts()).containsExactly(2L);
        assertThat(reasons(1)).singleElement().isInstanceOf(WaitReason.Impossible.class);
    }

    @Test
    void cpuTasksNeverWaitForACard() {
        card(0, "A", 0);
        hold(0, 9);
        queue(1, Priority.NORMAL, ONE);
        queue(2, Priority.LOW, Need.CPU);
        queue(3, Priority.LOW, Need.CPU);
        assertThat(starts()).containsExactly(2L, 3L);
    }

    @Test
    void allCardsOrNone() {
        card(0, "A", 0);
        card(1, "A", 0);
        card(2, "A", 0);
        queue(1, Priority.NORMAL, Need.cards(2));
        queue(2, Priority.NORMAL, Need.cards(2));
        assertThat(starts()).containsExactly(1L);
        assertThat(reasons(2))
                .containsExactly(
                        new WaitReason.CardsShort(
                                2,
                                1,
                                List.of(
                                        refused(0, new Refusal.Held(attempt(1))),
                                        refused(1, new Refusal.Held(attempt(1))))));
    }

    @Test
    void theCoolerEmptierCardIsChosen() {
        card(0, "A", 0, 80);
        card(1, "A", 0, 40);
        queue(1, Priority.NORMAL, ONE);
        assertThat(planner.pass(snapshot()))
                .containsExactly(new Verdict.Start(attempt(1), List.of(new Claim(id(1), 0, true))));
    }

    @Test
    void equalCardsGoByIndex() {
        card(1, "A", 0);
        card(0, "A", 0);
        queue(1, Priority.NORMAL, ONE);
        assertThat(planner.pass(snapshot()))
                .containsExactly(new Verdict.Start(attempt(1), List.of(new Claim(id(0), 0, true))));
    }

    @Test
    void withoutAStatedNeedACardIsFreeBelowTheThreshold() {
        card(0, "A", 19);
        queue(1, Priority.NORMAL, ONE);
        assertThat(starts()).containsExactly(1L);
        card(0, "A", 20);
        assertThat(starts()).isEmpty();
        assertThat(reasons(1))
                .containsExactly(
                        new WaitReason.CardsShort(
                                1,
                                0,
                                List.of(refused(0, new Refusal.InUse(20, 100, 20, List.of())))));
    }

    @Test
    void aStatedNeedIsComparedWithFreeMemoryToTheMib() {
        card(0, "A", 40);
        queue(1, Priority.NORMAL, new Need.Cards(1, Optional.empty(), OptionalLong.of(60)));
        assertThat(starts()).containsExactly(1L);
        card(0, "A", 41);
        assertThat(reasons(1))
                .containsExactly(
                        new WaitReason.CardsShort(
                                1,
                                0,
                                List.of(refused(0, new Refusal.MemoryShort(60, 59, List.of())))));
    }

    @Test
    void aCardThatCannotBeReadIsNotFree() {
        var card = new Card(id(0), 0, "A", 100);
        cards = cards.with(id(0), new CardState.Unknown(card, "no answer"));
        queue(1, Priority.NORMAL, ONE);
        assertThat(reasons(1))
                .containsExactly(
                        new WaitReason.CardsShort(
                                1, 0, List.of(refused(0, new Refusal.Unreadable("no answer")))));
    }

    @Test
    void anAbsentMemoryValueIsNeverFree() {
        var silent =
                new Reading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty());
        cards = cards.with(id(0), new CardState.Readable(new Card(id(0), 0, "A", 100), silent));
        queue(1, Priority.NORMAL, ONE);
        assertThat(starts()).isEmpty();
    }

    @Test
    void onlyCardsOfTheNamedModelServe() {
        card(0, "A", 0);
        card(1, "B", 0);
        queue(1, Priority.NORMAL, new Need.Cards(1, Optional.of("B"), OptionalLong.empty()));
        assertThat(planner.pass(snapshot()))
                .containsExactly(new Verdict.Start(attempt(1), List.of(new Claim(id(1), 0, true))));
    }

    @Test
    void aPauseIsTheReasonOfEveryHead() {
        card(0, "A", 0);
        pause = Optional.of(new WaitReason.Paused(WaitReason.Paused.Cause.DISK_LOW, "3 MiB free"));
        queue(1, Priority.NORMAL, ONE);
        queue(2, Priority.NORMAL, Need.CPU);
        assertThat(starts()).isEmpty();
        assertThat(reasons(2)).containsExactly(pause.get());
    }

    @Test
    void whyNamesTheHeadAndTheTasksOwnReasons() {
        card(0, "A", 0);
        hold(0, 9);
        queue(1, Priority.NORMAL, ONE);
        var second = queue(2, Priority.NORMAL, ONE);
        var verdict = planner.why(snapshot(), second);
        assertThat(verdict)
                .isEqualTo(
                        new Verdict.Wait(
                                new TaskId(2),
                                List.of(
                                        new WaitReason.Behind(new TaskId(1), 1),
                                        new WaitReason.CardsShort(
                                                1,
                                                0,
                                                List.of(
                                                        refused(
                                                                0,
                                                                new Refusal.Held(attempt(9))))))));
    }

    @Test
    void theSameSnapshotGivesTheSameVerdicts() {
        card(0, "A", 0);
        card(1, "A", 0);
        for (int id = 1; id < 20; id++) {
            queue(id, Priority.values()[id % 4], id % 5 == 0 ? Need.CPU : Need.cards(1 + id % 2));
        }
        assertThat(planner.pass(snapshot())).isEqualTo(planner.pass(snapshot()));
    }

    private List<Long> startOrder() {
        var order = new java.util.ArrayList<Long>();
        while (waiting.size() > 0) {
            var first = starts().getFirst();
            order.add(first);
            var done =
                    waiting.lines()
                            .values()
                            .flatMap(PersistentMap::values)
                            .filter(task -> task.id().value() == first)
                            .findFirst();
            waiting = waiting.without(done.orElseThrow());
        }
        return order;
    }

    private List<Long> starts() {
        return planner.pass(snapshot()).stream()
                .filter(Verdict.Start.class::isInstance)
                .map(verdict -> verdict.task().value())
                .toList();
    }

    private List<WaitReason> reasons(long task) {
        return planner.pass(snapshot()).stream()
                .filter(verdict -> verdict.task().value() == task)
                .map(Verdict.Wait.class::cast)
                .findFirst()
                .orElseThrow()
                .reasons();
    }

    private Snapshot snapshot() {
        return new Snapshot(waiting, cards, holds, leaving, pause);
    }

    private Task queue(long id, Priority priority, Need need) {
        var spec = TaskSpec.of("task " + id, "true", need, "/").withPriority(priority);
        var task = Task.queued(new TaskId(id), Owner.unix("ann"), spec, T0.plusSeconds(id));
        waiting = waiting.with(task);
        return task;
    }

    private void card(int index, String model, long usedMib) {
        card(index, model, usedMib, 40);
    }

    private void card(int index, String model, long usedMib, int temperature) {
        var reading =
                new Reading(
                        OptionalLong.of(usedMib),
                        OptionalLong.of(100 - usedMib),
                        OptionalInt.of(0),
                        OptionalInt.of(temperature));
        cards =
                cards.with(
                        id(index),
                        new CardState.Readable(new Card(id(index), index, model, 100), reading));
    }

    private void hold(int index, long task) {
        holds =
                holds.with(
                        id(index), List.of(new Hold(attempt(task), new Claim(id(index), 0, true))));
    }

    private static CardRefused refused(int index, Refusal refusal) {
        return new CardRefused(new Card(id(index), index, "A", 100), refusal);
    }

    private static AttemptId attempt(long task) {
        return new AttemptId(new TaskId(task), 1);
    }

    private static CardId id(int index) {
        return new CardId("here", "GPU-" + index);
    }
}
