package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;

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

/** Which lane tasks start, and which GPUs they leave for others. */
class LanePlanTest {

    private static final Need.GpuCount ONE = Need.GpuCount.of(1);

    private final SnapshotBuilder scene = new SnapshotBuilder();
    private LaneRules lanes = new LaneRules(Optional.empty(), 0, false);
    private ForeignProcessPolicy foreign = ForeignProcessPolicy.YIELD;

    // Serial execution.

    @Test
    void onlyTheFirstOfALaneStarts() {
        cards(3);
        var first = single(1, 1);
        var second = single(2, 1);
        assertThat(starts()).containsExactly(first.id().value());
        assertThat(why(second)).contains(new WaitReason.BehindHead(first.id(), 1));
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
    void aDelayedTaskBlocksOnlyItsLane() {
        cards(3);
        var first = single(1, 1);
        var second = single(2, 1);
        var other = single(3, 2);
        var until = SnapshotBuilder.NOW.plusSeconds(5);
        var resting = resting(first, until);
        assertThat(starts()).containsExactly(other.id().value());
        assertThat(why(resting)).containsExactly(new WaitReason.BackingOff(until));
        assertThat(why(second)).containsExactly(new WaitReason.BehindHead(first.id(), 1));
        scene.waiting = scene.waiting.without(other).at(until);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void aDelayedTaskWithoutLaneBlocksNoTask() {
        cards(1);
        var first = scene.queue(1, Need.gpus(1));
        scene.queue(2, Need.gpus(1));
        var until = SnapshotBuilder.NOW.plusSeconds(5);
        var resting = resting(first, until);
        assertThat(starts()).containsExactly(2L);
        assertThat(why(resting)).contains(new WaitReason.BackingOff(until));
        assertThat(scene.waiting.size()).isEqualTo(2);
        scene.waiting = scene.waiting.at(until);
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
        scene.lane(3, new Lane.OfFileRun(2, 1, false), ONE, 10);
        assertThat(starts()).hasSize(2).contains(3L);
        scene.spacing.add(1L);
        assertThat(starts()).containsExactly(3L);
        assertThat(why(second)).containsExactly(new WaitReason.RunStarting(1));
    }

    // Order.

    @Test
    void acrossQueuesPriorityThenMainQueueThenMultiLanesThenSingleLanes() {
        cards(1);
        var one = single(1, 1);
        var two = scene.lane(2, new Lane.OfFileRun(2, 1, true), ONE, 10);
        var main = scene.queue(3, Need.gpus(1));
        var spec = TaskSpec.of("urgent", "true", Need.gpus(1), "/").with(Priority.HIGH);
        var urgent =
                scene.queue(
                        4, "ann", spec.with(new Lane.OfFileRun(3, 1, false), OptionalInt.empty()));
        for (var next : List.of(urgent, main, two, one)) {
            assertThat(starts()).containsExactly(next.id().value());
            scene.waiting = scene.waiting.without(next);
        }
    }

    @Test
    void ofSeveralLanesTheLargerNeedIsTriedFirst() {
        cards(4);
        multi(1, 1, Need.GpuCount.of(1));
        multi(2, 2, Need.GpuCount.of(4));
        multi(3, 3, Need.GpuCount.of(2));
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
            scene.now = SnapshotBuilder.NOW.plus(Duration.ofMillis(i * 37L));
            first.addAll(starts());
        }
        assertThat(first).hasSizeGreaterThanOrEqualTo(8);
    }

    @Test
    void aTaskThatCollectsGpusReservesThemAgainstLanesOfItsPriority() {
        cards(2);
        scene.hold(0, 99);
        var head = scene.queue(1, Need.gpus(2));
        var lane = single(2, 1);
        assertThat(starts()).isEmpty();
        assertThat(refusals(lane)).contains(new Refusal.ReservedFor(head.id()));
        scene.waiting = scene.waiting.without(head);
        assertThat(starts()).containsExactly(2L);
    }

    // Selection of GPUs.

    @Test
    void lanesUseTheCardsThatAreNamedForThem() {
        cards(4);
        lanes = new LaneRules(Optional.of(List.of(0, 2)), 0, false);
        for (int queue = 1; queue <= 4; queue++) {
            scene.lane(queue, new Lane.OfFileRun(queue, 1, false), ONE, 10);
        }
        assertThat(cardsGiven()).containsExactly(0, 2);
        assertThat(refusals(task(scene, 4))).contains(new Refusal.NotForLanes());
    }

    @Test
    void aGpuForLanesThatCannotBeReadIsRefusedForThatAndMayServeLater() {
        cards(2);
        lanes = new LaneRules(Optional.of(List.of(0)), 0, false);
        var readable = scene.cards;
        var card = readable.get(SnapshotBuilder.id(0)).orElseThrow().gpu();
        scene.cards = readable.with(SnapshotBuilder.id(0), new GpuState.Unknown(card, "no answer"));
        var task = single(1, 1);
        assertThat(why(task)).singleElement().isInstanceOf(WaitReason.NotEnoughGpus.class);
        assertThat(refusals(task)).contains(new Refusal.Unreadable("no answer"));
        scene.cards = readable;
        assertThat(starts()).containsExactly(1L);
    }

    @ParameterizedTest
    @CsvSource({"10,1,9", "10,0,10", "10,2,8", "1,1,0", "3,5,0"})
    void theLastGpusAreLeftForOthers(int all, int left, int used) {
        cards(all);
        lanes = new LaneRules(Optional.empty(), left, false);
        for (int queue = 1; queue <= all + 1; queue++) {
            scene.lane(queue, new Lane.OfFileRun(queue, 1, false), ONE, 10);
        }
        var first = new TreeSet<Integer>();
        for (int index = 0; index < used; index++) {
            first.add(index);
        }
        assertThat(cardsGiven()).isEqualTo(first);
    }

    @Test
    void ofNamedGpusTheLastAsConfiguredAreLeftForOthers() {
        cards(4);
        lanes = new LaneRules(Optional.of(List.of(3, 1, 2)), 1, false);
        for (int queue = 1; queue <= 4; queue++) {
            scene.lane(queue, new Lane.OfFileRun(queue, 1, false), ONE, 10);
        }
        assertThat(cardsGiven()).containsExactly(1, 3);
    }

    @Test
    void theReasonNamesThatAllGpusAreLeftForOthers() {
        cards(1);
        lanes = LaneRules.DEFAULT;
        var only = single(1, 1);
        assertThat(starts()).isEmpty();
        assertThat(why(only)).singleElement().isInstanceOf(WaitReason.NeverPossible.class);
        assertThat(refusals(only)).containsExactly(new Refusal.LeftForOthers());
    }

    @ParameterizedTest
    @CsvSource({"8,2,4,4", "3,2,4,2", "2,2,4,2", "1,2,4,0", "4,1,4,3", "4,4,4,4"})
    void aRangeLeavesGpusForOthersDownToItsMinimum(int free, int least, int most, int given) {
        cards(free);
        lanes = LaneRules.DEFAULT;
        multi(1, 1, new Need.GpuCount(least, most));
        var first = new TreeSet<Integer>();
        for (int index = 0; index < given; index++) {
            first.add(index);
        }
        assertThat(cardsGiven()).isEqualTo(first);
        assertThat(planner().plan(scene.snapshot()).starts())
                .allMatch(start -> start.leavesTooFewIdle() == (free - given < 1));
    }

    @Test
    void aStartThatWouldLeaveTooFewIdleGpusWaits() {
        cards(4);
        lanes = LaneRules.DEFAULT;
        occupy(3, new ProcessOwner.HostUser("eve", false), "python");
        scene.hold(0, 91);
        scene.hold(1, 92);
        var task = single(1, 1);
        assertThat(starts()).isEmpty();
        assertThat(why(task)).containsExactly(new WaitReason.YieldingToOthers(1, 1));
        scene.card(3, "A", 0);
        assertThat(cardsGiven()).containsExactly(2);
    }

    @Test
    void othersTasksCountWhenCardsAreLeftIdle() {
        cards(2);
        lanes = LaneRules.DEFAULT;
        scene.queue(1, Need.gpus(1));
        single(2, 1);
        assertThat(starts()).containsExactly(1L);
    }

    // Other processes on a GPU.

    @ParameterizedTest
    @ValueSource(strings = {"python", "python3", "python3.10"})
    void aLaneAvoidsGpusWithItsOwnUsersPython(String program) {
        cards(1);
        occupy(0, new ProcessOwner.HostUser("ann", true), program);
        var task = single(1, 1);
        assertThat(starts()).isEmpty();
        assertThat(refusals(task)).singleElement().isInstanceOf(Refusal.OwnPython.class);
        lanes = new LaneRules(Optional.empty(), 0, true);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void otherProgramsOfItsOwnUserAreNoObstacle() {
        cards(1);
        occupy(0, new ProcessOwner.HostUser("ann", true), "pythonic");
        single(1, 1);
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void lanesYieldToOtherUsersPythonUnlessOnlyMemoryCounts() {
        cards(1);
        occupy(0, new ProcessOwner.HostUser("eve", false), "python");
        single(1, 1);
        assertThat(starts()).isEmpty();
        foreign = ForeignProcessPolicy.FIT;
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void inExtremeModeLanesShareACardWhileMemoryLasts() {
        cards(1);
        for (int run = 1; run <= 3; run++) {
            scene.lane(run, new Lane.OfFileRun(run, 1, false), ONE, 40);
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
        scene.lane(2, new Lane.OfFileRun(2, 1, false), ONE, 10);
        var plain = new Need.Gpus(ONE, Optional.empty(), Optional.empty(), Need.GpuMemory.of(10));
        scene.waiting = scene.waiting.without(task(scene, 2));
        scene.queue(3, plain);
        assertThat(cardsGiven()).containsExactly(0);
    }

    // Test helpers.

    private void cards(int count) {
        for (int index = 0; index < count; index++) {
            scene.card(index, "A", 0);
        }
    }

    private void busy(int index, int utilization, long freeMib) {
        var card = scene.cards.get(SnapshotBuilder.id(index)).orElseThrow().gpu();
        scene.card(card, freeMib, utilization, 40);
    }

    private void occupy(int index, ProcessOwner whose, String program) {
        var state = (GpuState.Readable) scene.cards.get(SnapshotBuilder.id(index)).orElseThrow();
        var one =
                new GpuProcess(
                        70 + index,
                        OptionalLong.of(5),
                        GpuProcess.Kind.COMPUTE,
                        program,
                        whose,
                        Optional.empty());
        var reading = state.reading().withProcesses(Optional.of(List.of(one)));
        scene.cards =
                scene.cards.with(
                        SnapshotBuilder.id(index), new GpuState.Readable(state.gpu(), reading));
    }

    private Task single(long id, int queue) {
        return scene.lane(id, new Lane.OfFileRun(1, queue, false), ONE, 10);
    }

    private void multi(long id, int queue, Need.GpuCount count) {
        scene.lane(id, new Lane.OfFileRun(1, queue, true), count, 10);
    }

    private void named(long id, String owner, String lane) {
        var spec = TaskSpec.of("task " + id, "true", Need.gpus(1), "/");
        scene.queue(id, owner, spec.with(new Lane.Named(lane), OptionalInt.empty()));
    }

    private void running(Task task) {
        scene.waiting = scene.waiting.without(task).withRunning(task);
    }

    private Task resting(Task task, Instant until) {
        var resting =
                task.after(new TaskTransition.Start(1))
                        .after(new TaskTransition.Retry(SnapshotBuilder.NOW, Optional.of(until)));
        scene.waiting = scene.waiting.without(task).with(resting);
        return resting;
    }

    private Planner planner() {
        return new Planner(new SchedulingRules(20, foreign, GpuPool.ALL).with(lanes));
    }

    private List<Long> starts() {
        return planner().plan(scene.snapshot()).starts().stream()
                .map(start -> start.task().value())
                .toList();
    }

    private SortedSet<Integer> cardsGiven() {
        var cards = new TreeSet<Integer>();
        for (var start : planner().plan(scene.snapshot()).starts()) {
            start.claims()
                    .forEach(
                            claim ->
                                    cards.add(
                                            scene.cards
                                                    .get(claim.gpu())
                                                    .orElseThrow()
                                                    .gpu()
                                                    .index()));
        }
        return cards;
    }

    private List<WaitReason> why(Task task) {
        return planner().explain(scene.snapshot(), task) instanceof Verdict.Wait(_, var reasons)
                ? reasons
                : List.of();
    }

    private List<Refusal> refusals(Task task) {
        var refusals = new ArrayList<Refusal>();
        for (var reason : why(task)) {
            switch (reason) {
                case WaitReason.NotEnoughGpus(_, _, var refused) ->
                        refused.forEach(one -> refusals.add(one.refusal()));
                case WaitReason.NeverPossible(_, _, var refused) ->
                        refused.forEach(one -> refusals.add(one.refusal()));
                case WaitReason.CpuLimitReached _,
                        WaitReason.BehindHead _,
                        WaitReason.BehindReservation _,
                        WaitReason.LaneBusy _,
                        WaitReason.BackingOff _,
                        WaitReason.CouldNotStart _,
                        WaitReason.RunStarting _,
                        WaitReason.YieldingToOthers _,
                        WaitReason.Unloading _,
                        WaitReason.LimitReached _,
                        WaitReason.OverBudget _,
                        WaitReason.InCluster _,
                        WaitReason.ClusterWindowFull _,
                        WaitReason.Paused _ -> {}
            }
        }
        return refusals;
    }

    private static Task task(SnapshotBuilder scene, long id) {
        return scene.waiting
                .all()
                .filter(task -> task.id().equals(new TaskId(id)))
                .findFirst()
                .orElseThrow();
    }
}
