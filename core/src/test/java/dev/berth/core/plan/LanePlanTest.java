package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskMove;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/** What lanes start, and what they leave to others. */
class LanePlanTest {

    private static final Need.Count ONE = Need.Count.of(1);

    private final Scene scene = new Scene();
    private LaneRules lanes = new LaneRules(Optional.empty(), 0, false);
    private Foreign foreign = Foreign.YIELD;

    // One after another.

    @Test
    void onlyTheFirstOfALaneStarts() {
        cards(3);
        var first = single(1, 1);
        var second = single(2, 1);
        assertThat(starts()).containsExactly(first.id().value());
        assertThat(why(second)).contains(new WaitReason.Behind(first.id(), 1));
    }

    @Test
    void whileOneOfALaneRunsTheNextOneWaits() {
        cards(3);
        var first = single(1, 1);
        var second = single(2, 1);
        running(first);
        assertThat(starts()).isEmpty();
        assertThat(why(second)).containsExactly(new WaitReason.LaneBusy(first.id()));
    }

    @Test
    void aTaskThatRestsHoldsUpItsLaneAndNoOther() {
        cards(3);
        var first = single(1, 1);
        var second = single(2, 1);
        var other = single(3, 2);
        var until = Scene.NOW.plusSeconds(5);
        var resting = resting(first, until);
        assertThat(starts()).containsExactly(other.id().value());
        assertThat(why(resting)).containsExactly(new WaitReason.Resting(until));
        assertThat(why(second)).containsExactly(new WaitReason.Behind(first.id(), 1));
        scene.waiting = scene.waiting.without(other).awake(until);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void aTaskOfNoLaneThatRestsHoldsUpNobody() {
        cards(1);
        var first = scene.queue(1, Need.cards(1));
        scene.queue(2, Need.cards(1));
        var until = Scene.NOW.plusSeconds(5);
        var resting = resting(first, until);
        assertThat(starts()).containsExactly(2L);
        assertThat(why(resting)).contains(new WaitReason.Resting(until));
        assertThat(scene.waiting.size()).isEqualTo(2);
        scene.waiting = scene.waiting.awake(until);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void aNamedLaneIsSerialAndOtherwiseLikeAnyTask() {
        cards(2);
        lanes = new LaneRules(Optional.empty(), 2, false);
        named(1, "ann", "x");
        named(2, "ann", "x");
        named(3, "bob", "x");
        assertThat(starts()).containsExactly(1L, 3L);
    }

    @Test
    void oneTaskOfARunIsStartedAtATimeAndOtherRunsAreNotDelayed() {
        cards(3);
        single(1, 1);
        var second = single(2, 2);
        scene.lane(3, new Lane.OfRun(2, 1, false), ONE, 10);
        assertThat(starts()).hasSize(2).contains(3L);
        scene.spacing.add(1L);
        assertThat(starts()).containsExactly(3L);
        assertThat(why(second)).containsExactly(new WaitReason.Spacing(1));
    }

    // Who goes first.

    @Test
    void acrossLinesUrgencyGoesFirstThenTheMainLineThenManyCardsThenOne() {
        cards(1);
        var one = single(1, 1);
        var two = scene.lane(2, new Lane.OfRun(2, 1, true), ONE, 10);
        var main = scene.queue(3, Need.cards(1));
        var spec = TaskSpec.of("urgent", "true", Need.cards(1), "/").with(Priority.HIGH);
        var urgent =
                scene.queue(4, "ann", spec.with(new Lane.OfRun(3, 1, false), OptionalInt.empty()));
        for (var next : List.of(urgent, main, two, one)) {
            assertThat(starts()).containsExactly(next.id().value());
            scene.waiting = scene.waiting.without(next);
        }
    }

    @Test
    void ofSeveralLanesTheLargerNeedIsTriedFirst() {
        cards(4);
        multi(1, 1, Need.Count.of(1));
        multi(2, 2, Need.Count.of(4));
        multi(3, 3, Need.Count.of(2));
        assertThat(starts()).containsExactly(2L);
    }

    @Test
    void noLaneIsFavoured() {
        cards(1);
        for (int queue = 1; queue <= 10; queue++) {
            single(queue, queue);
        }
        var first = new TreeSet<Long>();
        for (int i = 0; i < 50; i++) {
            scene.now = Scene.NOW.plus(Duration.ofMillis(i * 37L));
            first.addAll(starts());
        }
        assertThat(first).hasSizeGreaterThanOrEqualTo(8);
    }

    @Test
    void aTaskThatGathersCardsKeepsThemFromLanesOfItsUrgency() {
        cards(2);
        scene.hold(0, 99);
        var head = scene.queue(1, Need.cards(2));
        var lane = single(2, 1);
        assertThat(starts()).isEmpty();
        assertThat(refusals(lane)).contains(new Refusal.Promised(head.id()));
        scene.waiting = scene.waiting.without(head);
        assertThat(starts()).containsExactly(2L);
    }

    // Which cards.

    @Test
    void lanesUseTheCardsThatAreNamedForThem() {
        cards(4);
        lanes = new LaneRules(Optional.of(List.of(0, 2)), 0, false);
        for (int queue = 1; queue <= 4; queue++) {
            scene.lane(queue, new Lane.OfRun(queue, 1, false), ONE, 10);
        }
        assertThat(cardsGiven()).containsExactly(0, 2);
        assertThat(refusals(task(scene, 4))).contains(new Refusal.OutsideLanes());
    }

    @ParameterizedTest
    @CsvSource({"10,1,9", "10,0,10", "10,2,8", "1,1,0", "3,5,0"})
    void theLastCardsAreKeptBack(int all, int left, int used) {
        cards(all);
        lanes = new LaneRules(Optional.empty(), left, false);
        for (int queue = 1; queue <= all + 1; queue++) {
            scene.lane(queue, new Lane.OfRun(queue, 1, false), ONE, 10);
        }
        var first = new TreeSet<Integer>();
        for (int index = 0; index < used; index++) {
            first.add(index);
        }
        assertThat(cardsGiven()).isEqualTo(first);
    }

    @Test
    void ofNamedCardsTheLastAsWrittenAreKeptBack() {
        cards(4);
        lanes = new LaneRules(Optional.of(List.of(3, 1, 2)), 1, false);
        for (int queue = 1; queue <= 4; queue++) {
            scene.lane(queue, new Lane.OfRun(queue, 1, false), ONE, 10);
        }
        assertThat(cardsGiven()).containsExactly(1, 3);
    }

    @Test
    void whereEveryCardIsKeptBackItIsSaid() {
        cards(1);
        lanes = LaneRules.USUAL;
        var only = single(1, 1);
        assertThat(starts()).isEmpty();
        assertThat(why(only)).singleElement().isInstanceOf(WaitReason.Impossible.class);
        assertThat(refusals(only)).containsExactly(new Refusal.KeptBack());
    }

    @ParameterizedTest
    @CsvSource({"8,2,4,4", "3,2,4,2", "2,2,4,2", "1,2,4,0", "4,1,4,3", "4,4,4,4"})
    void aRangeLeavesCardsToOthersUnlessItCannotDoWithFewer(
            int free, int least, int most, int given) {
        cards(free);
        lanes = LaneRules.USUAL;
        multi(1, 1, new Need.Count(least, most));
        var first = new TreeSet<Integer>();
        for (int index = 0; index < given; index++) {
            first.add(index);
        }
        assertThat(cardsGiven()).isEqualTo(first);
        assertThat(planner().pass(scene.snapshot()).starts())
                .allMatch(start -> start.leavesTooFew() == (free - given < 1));
    }

    @Test
    void aStartThatWouldLeaveTooFewIdleOfAnybodyWaitsUntilOneIs() {
        cards(4);
        lanes = LaneRules.USUAL;
        occupy(3, new Whose.User("eve", false), "python");
        scene.hold(0, 91);
        scene.hold(1, 92);
        var task = single(1, 1);
        assertThat(starts()).isEmpty();
        assertThat(why(task)).containsExactly(new WaitReason.Polite(1, 1));
        scene.card(3, "A", 0);
        assertThat(cardsGiven()).containsExactly(2);
    }

    @Test
    void othersTasksCountWhenCardsAreLeftIdle() {
        cards(2);
        lanes = LaneRules.USUAL;
        scene.queue(1, Need.cards(1));
        single(2, 1);
        assertThat(starts()).containsExactly(1L);
    }

    // What else is on a card.

    @ParameterizedTest
    @ValueSource(strings = {"python", "python3", "python3.10"})
    void aLaneDoesNotCrowdItsOwnUsersPython(String program) {
        cards(1);
        occupy(0, new Whose.User("ann", true), program);
        var task = single(1, 1);
        assertThat(starts()).isEmpty();
        assertThat(refusals(task)).singleElement().isInstanceOf(Refusal.OwnPython.class);
        lanes = new LaneRules(Optional.empty(), 0, true);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void otherProgramsOfItsOwnUserAreNoObstacle() {
        cards(1);
        occupy(0, new Whose.User("ann", true), "pythonic");
        single(1, 1);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void anothersPythonIsYieldedToUnlessOnlyMemoryCounts() {
        cards(1);
        occupy(0, new Whose.User("eve", false), "python");
        single(1, 1);
        assertThat(starts()).isEmpty();
        foreign = Foreign.FIT;
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void inExtremeModeLanesShareACardWhileMemoryLasts() {
        cards(1);
        for (int run = 1; run <= 3; run++) {
            scene.lane(run, new Lane.OfRun(run, 1, false), ONE, 40);
        }
        assertThat(starts()).hasSize(1);
        lanes = new LaneRules(Optional.empty(), 0, true);
        assertThat(starts()).hasSize(2);
    }

    @Test
    void lanesTakeTheCardThatDidLeastAndTheOthersTheOneWithTheBestScore() {
        cards(2);
        busy(0, 90, 100);
        busy(1, 5, 60);
        single(1, 1);
        assertThat(cardsGiven()).containsExactly(1);
        scene.waiting = scene.waiting.without(task(scene, 1));
        scene.lane(2, new Lane.OfRun(2, 1, false), ONE, 10);
        var plain = new Need.Cards(ONE, Optional.empty(), Optional.empty(), Need.Memory.of(10));
        scene.waiting = scene.waiting.without(task(scene, 2));
        scene.queue(3, plain);
        assertThat(cardsGiven()).containsExactly(0);
    }

    // What the tests say.

    private void cards(int count) {
        for (int index = 0; index < count; index++) {
            scene.card(index, "A", 0);
        }
    }

    private void busy(int index, int utilization, long freeMib) {
        var card = scene.cards.get(Scene.id(index)).orElseThrow().card();
        scene.card(card, freeMib, utilization, 40);
    }

    private void occupy(int index, Whose whose, String program) {
        var state = (CardState.Readable) scene.cards.get(Scene.id(index)).orElseThrow();
        var one =
                new Occupant(
                        70 + index,
                        OptionalLong.of(5),
                        Occupant.Kind.COMPUTE,
                        program,
                        whose,
                        Optional.empty());
        var reading = state.reading().with(Optional.of(List.of(one)));
        scene.cards =
                scene.cards.with(Scene.id(index), new CardState.Readable(state.card(), reading));
    }

    private Task single(long id, int queue) {
        return scene.lane(id, new Lane.OfRun(1, queue, false), ONE, 10);
    }

    private void multi(long id, int queue, Need.Count count) {
        scene.lane(id, new Lane.OfRun(1, queue, true), count, 10);
    }

    private void named(long id, String owner, String lane) {
        var spec = TaskSpec.of("task " + id, "true", Need.cards(1), "/");
        scene.queue(id, owner, spec.with(new Lane.Named(lane), OptionalInt.empty()));
    }

    private void running(Task task) {
        scene.waiting = scene.waiting.without(task).withRunning(task);
    }

    private Task resting(Task task, Instant until) {
        var resting =
                task.after(new TaskMove.Start(1))
                        .after(new TaskMove.Retry(Scene.NOW, Optional.of(until)));
        scene.waiting = scene.waiting.without(task).with(resting);
        return resting;
    }

    private Planner planner() {
        return new Planner(new Rules(20, foreign, Pool.ALL).with(lanes));
    }

    private List<Long> starts() {
        return planner().pass(scene.snapshot()).starts().stream()
                .map(start -> start.task().value())
                .toList();
    }

    private SortedSet<Integer> cardsGiven() {
        var cards = new TreeSet<Integer>();
        for (var start : planner().pass(scene.snapshot()).starts()) {
            start.claims()
                    .forEach(
                            claim ->
                                    cards.add(
                                            scene.cards
                                                    .get(claim.card())
                                                    .orElseThrow()
                                                    .card()
                                                    .index()));
        }
        return cards;
    }

    private List<WaitReason> why(Task task) {
        return planner().why(scene.snapshot(), task) instanceof Verdict.Wait(_, var reasons)
                ? reasons
                : List.of();
    }

    private List<Refusal> refusals(Task task) {
        var refusals = new ArrayList<Refusal>();
        for (var reason : why(task)) {
            switch (reason) {
                case WaitReason.CardsShort(_, _, var refused) ->
                        refused.forEach(one -> refusals.add(one.refusal()));
                case WaitReason.Impossible(_, _, var refused) ->
                        refused.forEach(one -> refusals.add(one.refusal()));
                case WaitReason.CpuFull _,
                        WaitReason.Behind _,
                        WaitReason.LaneBusy _,
                        WaitReason.Resting _,
                        WaitReason.Spacing _,
                        WaitReason.Polite _,
                        WaitReason.Paused _ -> {}
            }
        }
        return refusals;
    }

    private static Task task(Scene scene, long id) {
        return scene.waiting
                .everybody()
                .filter(task -> task.id().equals(new TaskId(id)))
                .findFirst()
                .orElseThrow();
    }
}
