package dev.berth.core.plan;

import static dev.berth.core.plan.SnapshotBuilder.attempt;
import static dev.berth.core.plan.SnapshotBuilder.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.WaitReason.RefusedGpu;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.queue.Precedence;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.TaskGroup;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

class PlannerTest {

    private static final Need ONE = Need.gpus(1);

    private final SnapshotBuilder scene = new SnapshotBuilder();
    private Planner planner = new Planner(SchedulingRules.DEFAULT);

    @Test
    void moreUrgentGoesFirstThenOlderThenLowerId() {
        scene.card(0, "A", 0);
        scene.queue(1, Priority.LOW, ONE);
        scene.queue(2, Priority.NORMAL, ONE);
        scene.queue(3, Priority.HIGH, ONE);
        scene.queue(4, Priority.CRITICAL, ONE);
        scene.queue(5, Priority.NORMAL, ONE);
        assertThat(startOrder()).containsExactly(4L, 3L, 2L, 5L, 1L);
    }

    @Test
    void aHeadThatWaitsKeepsItsTurn() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(1, 9);
        scene.queue(1, Priority.NORMAL, Need.gpus(2));
        scene.queue(2, Priority.NORMAL, ONE);
        assertThat(starts()).isEmpty();
    }

    @Test
    void namedGpusAreKeptFromTasksBehind() {
        for (int index = 0; index < 3; index++) {
            scene.card(index, "A", 0);
        }
        scene.hold(1, 9);
        scene.queue(1, on(0, 1));
        scene.queue(2, ONE);
        scene.queue(3, on(0));
        scene.queue(4, ONE);
        assertThat(starts()).as("GPU 2 is not named").containsExactly(2L);
        assertThat(why(1))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                2, 1, List.of(refused(1, new Refusal.Held(attempt(9))))));
        assertThat(why(3))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                1, 0, List.of(refused(0, new Refusal.ReservedFor(new TaskId(1))))));
    }

    @Test
    void namedGpusAreNotKeptFromMoreUrgentTasks() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(1, 9);
        scene.queue(1, on(0, 1));
        scene.queue(2, Priority.HIGH, ONE);
        assertThat(starts()).containsExactly(2L);
    }

    @Test
    void aNamedGpuThatIsSharedIsKeptForATaskThatNeedsMoreOfIt() {
        scene.card(0, "A", 0);
        scene.hold(0, 9, 60, false);
        var named = GpuIndices.of(0);
        scene.queue(1, Need.Gpus.on(named, Optional.empty(), Need.GpuMemory.shared(90)));
        var small = Need.GpuMemory.shared(30);
        scene.queue(2, new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), small));
        assertThat(starts()).isEmpty();
    }

    @Test
    void namedGpusAreNotKeptWhileNobodyKnowsWhenTheyAreFree() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 50);
        scene.queue(1, on(0, 1));
        scene.queue(2, ONE);
        assertThat(starts()).as("a program outside of Berth uses GPU 1").containsExactly(2L);
    }

    /** A GPU becomes free, and there is always another task that it would suffice for. */
    @Test
    void aStreamOfSmallTasksDoesNotStarveATaskThatNamesTwoGpus() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(0, 100);
        scene.hold(1, 101);
        scene.queue(1, on(0, 1));
        for (long id = 2; id < 20; id++) {
            scene.queue(id, ONE);
        }
        scene.holds = scene.holds.without(SnapshotBuilder.id(0));
        assertThat(starts()).isEmpty();
        scene.holds = scene.holds.without(SnapshotBuilder.id(1));
        assertThat(starts()).containsExactly(1L);
    }

    @Test
    void aHeadThatCanNeverStartBlocksNoTask() {
        scene.card(0, "A", 0);
        scene.queue(1, Priority.NORMAL, Need.gpus(2));
        scene.queue(2, Priority.NORMAL, ONE);
        assertThat(starts()).containsExactly(2L);
        assertThat(why(1)).singleElement().isInstanceOf(WaitReason.NeverPossible.class);
    }

    @Test
    void cpuTasksNeverWaitForACard() {
        scene.card(0, "A", 0);
        scene.hold(0, 9);
        scene.queue(1, Priority.NORMAL, ONE);
        scene.queue(2, Priority.LOW, Need.CPU);
        scene.queue(3, Priority.LOW, Need.CPU);
        assertThat(starts()).containsExactly(2L, 3L);
    }

    @Test
    void allCardsOrNone() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.card(2, "A", 0);
        scene.queue(1, Priority.NORMAL, Need.gpus(2));
        scene.queue(2, Priority.NORMAL, Need.gpus(2));
        assertThat(starts()).containsExactly(1L);
        assertThat(why(2))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                2,
                                1,
                                List.of(
                                        refused(0, new Refusal.Held(attempt(1))),
                                        refused(1, new Refusal.Held(attempt(1))))));
    }

    @Test
    void theCoolerEmptierCardIsChosen() {
        scene.card(0, "A", 0, 80);
        scene.card(1, "A", 0, 40);
        scene.queue(1, Priority.NORMAL, ONE);
        assertThat(pass().starts())
                .containsExactly(new Verdict.Start(attempt(1), List.of(new Claim(id(1), 0, true))));
    }

    @Test
    void equalCardsGoByIndex() {
        scene.card(1, "A", 0);
        scene.card(0, "A", 0);
        scene.queue(1, Priority.NORMAL, ONE);
        assertThat(pass().starts())
                .containsExactly(new Verdict.Start(attempt(1), List.of(new Claim(id(0), 0, true))));
    }

    @Test
    void withoutAStatedNeedACardIsFreeBelowTheThreshold() {
        scene.card(0, "A", 19);
        scene.queue(1, Priority.NORMAL, ONE);
        assertThat(starts()).containsExactly(1L);
        scene.card(0, "A", 20);
        assertThat(starts()).isEmpty();
        assertThat(why(1))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                1,
                                0,
                                List.of(refused(0, new Refusal.InUse(20, 100, 20, List.of())))));
    }

    @Test
    void aStatedNeedIsComparedWithFreeMemoryToTheMib() {
        scene.card(0, "A", 40);
        scene.queue(1, Priority.NORMAL, memory(60));
        assertThat(starts()).containsExactly(1L);
        scene.card(0, "A", 41);
        assertThat(why(1))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                1,
                                0,
                                List.of(
                                        refused(
                                                0,
                                                new Refusal.NotEnoughMemory(
                                                        60, 0, 59, List.of())))));
    }

    @Test
    void aCardThatCannotBeReadIsNotFree() {
        var card = new Gpu(id(0), 0, "A", 100);
        scene.cards = scene.cards.with(id(0), new GpuState.Unknown(card, "no answer"));
        scene.queue(1, Priority.NORMAL, ONE);
        assertThat(why(1))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                1, 0, List.of(refused(0, new Refusal.Unreadable("no answer")))));
    }

    @Test
    void anAbsentMemoryValueIsNeverFree() {
        var silent =
                new GpuReading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty());
        scene.cards =
                scene.cards.with(id(0), new GpuState.Readable(new Gpu(id(0), 0, "A", 100), silent));
        scene.queue(1, Priority.NORMAL, ONE);
        assertThat(starts()).isEmpty();
    }

    @Test
    void onlyCardsOfTheNamedModelServe() {
        scene.card(0, "A", 0);
        scene.card(1, "B", 0);
        scene.queue(1, Priority.NORMAL, type("B"));
        assertThat(pass().starts())
                .containsExactly(new Verdict.Start(attempt(1), List.of(new Claim(id(1), 0, true))));
    }

    @Test
    void severalGpusOfOneModelNeverIncludeAnother() {
        scene.card(0, "A", 0);
        scene.card(1, "B", 0);
        scene.card(2, "A", 0);
        scene.hold(2, 9);
        var twoOfA = new Need.Gpus(Need.GpuCount.of(2), Optional.of("A"), Need.GpuMemory.UNSTATED);
        scene.queue(1, twoOfA);
        assertThat(starts()).as("one A and one B are free").isEmpty();
        scene.holds = scene.holds.without(id(2));
        assertThat(pass().starts())
                .singleElement()
                .satisfies(
                        start ->
                                assertThat(start.claims())
                                        .extracting(Claim::gpu)
                                        .containsExactly(id(0), id(2)));
    }

    /** Counted, because a time depends on the machine. */
    @Test
    void aPassConsidersShapesNotTasks() {
        for (var backfill : List.of(new Backfill.Greedy(), new Backfill.Safe())) {
            assertThat(headsConsidered(2, backfill))
                    .isEqualTo(headsConsidered(200, backfill))
                    .isPositive();
        }
    }

    private static int headsConsidered(int tasksPerShape, Backfill backfill) {
        var considered = new AtomicInteger();
        var counting =
                new QueueOrder() {
                    @Override
                    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
                        considered.incrementAndGet();
                        return new FifoOrder().precedence(group, used);
                    }

                    @Override
                    public String configName() {
                        return "counting";
                    }
                };
        var full = new SnapshotBuilder(counting);
        for (int index = 0; index < 100; index++) {
            full.card(index, "A", 0);
            full.hold(index, 10_000 + index);
        }
        long id = 1;
        for (int round = 0; round < tasksPerShape; round++) {
            for (int mib = 1; mib <= 50; mib++) {
                full.queue(id++, memory(mib));
            }
        }
        var planner = new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
        considered.set(0);
        assertThat(planner.plan(full.snapshot()).starts()).isEmpty();
        return considered.get();
    }

    @Test
    void aPauseIsTheReasonOfEveryHead() {
        scene.card(0, "A", 0);
        scene.pause =
                Optional.of(
                        new WaitReason.Paused(WaitReason.Paused.PauseCause.DISK_LOW, "3 MiB free"));
        scene.queue(1, Priority.NORMAL, ONE);
        scene.queue(2, Priority.NORMAL, Need.CPU);
        assertThat(starts()).isEmpty();
        assertThat(why(2)).containsExactly(scene.pause.get());
    }

    @Test
    void whyNamesTheHeadAndTheTasksOwnReasons() {
        scene.card(0, "A", 0);
        scene.hold(0, 9);
        scene.queue(1, Priority.NORMAL, ONE);
        var second = scene.queue(2, Priority.NORMAL, ONE);
        var verdict = planner.explain(scene.snapshot(), second);
        assertThat(verdict)
                .isEqualTo(
                        new Verdict.Wait(
                                new TaskId(2),
                                List.of(
                                        new WaitReason.BehindHead(new TaskId(1), 1),
                                        new WaitReason.NotEnoughGpus(
                                                1,
                                                0,
                                                List.of(
                                                        refused(
                                                                0,
                                                                new Refusal.Held(attempt(9))))))));
    }

    @Test
    void theSameSnapshotGivesTheSameVerdicts() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        for (int id = 1; id < 20; id++) {
            scene.queue(
                    id, Priority.values()[id % 4], id % 5 == 0 ? Need.CPU : Need.gpus(1 + id % 2));
        }
        assertThat(pass()).isEqualTo(pass());
    }

    @Test
    void aBlockedHeadBlocksOnlyItsOwnQueue() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(0, 9);
        scene.queue(1, on(0));
        scene.queue(2, on(1));
        scene.queue(3, on(0));
        assertThat(starts()).containsExactly(2L);
        assertThat(why(3)).first().isEqualTo(new WaitReason.BehindHead(new TaskId(1), 1));
    }

    @Test
    void severalNamedCardsAreTakenAllOrNotAtAll() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(1, 9);
        scene.queue(1, on(0, 1));
        assertThat(starts()).isEmpty();
        assertThat(why(1))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                2, 1, List.of(refused(1, new Refusal.Held(attempt(9))))));
        scene.holds = scene.holds.without(id(1));
        scene.queue(2, on(1));
        assertThat(pass().starts())
                .containsExactly(
                        new Verdict.Start(
                                attempt(1),
                                List.of(new Claim(id(0), 0, true), new Claim(id(1), 0, true))));
    }

    @Test
    void aRangeTakesWhatFitsUpToTheMost() {
        for (int free = 1; free <= 6; free++) {
            var cards = new SnapshotBuilder();
            for (int index = 0; index < 6; index++) {
                cards.card(index, "A", index < free ? 0 : 90);
            }
            var range = new Need.GpuCount(2, 4);
            cards.queue(1, new Need.Gpus(range, Optional.empty(), Need.GpuMemory.UNSTATED));
            int taken =
                    planner.plan(cards.snapshot()).starts().stream()
                            .mapToInt(start -> start.claims().size())
                            .sum();
            assertThat(taken).as("%d free", free).isEqualTo(free < 2 ? 0 : Math.min(4, free));
        }
    }

    @Test
    void sharersFillACardWhileItsHeadroomLasts() {
        scene.card(0, "A", 0);
        for (int id = 1; id <= 4; id++) {
            scene.queue(
                    id,
                    new Need.Gpus(
                            Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.shared(40)));
        }
        assertThat(starts()).containsExactly(1L, 2L);
        assertThat(why(3))
                .containsExactly(
                        new WaitReason.NotEnoughGpus(
                                1,
                                0,
                                List.of(
                                        refused(
                                                0,
                                                new Refusal.NotEnoughMemory(
                                                        40, 0, 20, List.of())))));
    }

    @Test
    void greedyBackfillStartsAnyTaskThatFits() {
        planner =
                new Planner(
                        SchedulingRules.DEFAULT, new Backfill.Greedy(), new BestScorePlacement());
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(1, 9);
        scene.queue(1, Need.gpus(2));
        scene.queue(2, ONE);
        scene.queue(3, ONE);
        assertThat(starts()).containsExactly(2L);
        assertThat(why(3)).singleElement().isInstanceOf(WaitReason.NotEnoughGpus.class);
    }

    @Test
    void theNumberOfCpuTasksIsLimited() {
        planner =
                new Planner(
                        new SchedulingRules(
                                20,
                                ForeignProcessPolicy.YIELD,
                                GpuPool.ALL,
                                MemoryEstimates.DEFAULT,
                                ModelCache.DEFAULT,
                                OptionalInt.of(3),
                                LaneRules.DEFAULT));
        scene.cpuTasks = 1;
        for (int id = 1; id <= 3; id++) {
            scene.queue(id, Need.CPU);
        }
        assertThat(starts()).containsExactly(1L, 2L);
        assertThat(why(3)).containsExactly(new WaitReason.CpuLimitReached(3, 3));
    }

    @Test
    void aManualStartIgnoresTheQueue() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 90);
        scene.queue(1, Need.gpus(2));
        var draft = SnapshotBuilder.task(2, "bob", spec(ONE));
        assertThat(planner.planManualStart(scene.snapshot(), draft, false))
                .isEqualTo(new Verdict.Start(attempt(2), List.of(new Claim(id(0), 0, true))));
        var busy = SnapshotBuilder.task(3, "bob", spec(on(1)));
        assertThat(planner.planManualStart(scene.snapshot(), busy, false))
                .isEqualTo(
                        new Verdict.Wait(
                                new TaskId(3),
                                List.of(
                                        new WaitReason.NotEnoughGpus(
                                                1,
                                                0,
                                                List.of(
                                                        refused(
                                                                1,
                                                                new Refusal.InUse(
                                                                        90, 100, 20,
                                                                        List.of())))))));
        assertThat(planner.planManualStart(scene.snapshot(), busy, true))
                .isInstanceOf(Verdict.Start.class);
        scene.hold(1, 9);
        assertThat(planner.planManualStart(scene.snapshot(), busy, true))
                .isInstanceOf(Verdict.Wait.class);
    }

    private static TaskSpec spec(Need need) {
        return TaskSpec.of("x", "true", need, "/");
    }

    private static Need on(int... indices) {
        return Need.Gpus.on(GpuIndices.of(indices), Optional.empty(), Need.GpuMemory.UNSTATED);
    }

    private static Need memory(long mib) {
        return new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.of(mib));
    }

    private static Need type(String name) {
        return new Need.Gpus(Need.GpuCount.of(1), Optional.of(name), Need.GpuMemory.UNSTATED);
    }

    private List<Long> startOrder() {
        var order = new ArrayList<Long>();
        while (scene.waiting.size() > 0) {
            var first = starts().getFirst();
            order.add(first);
            scene.waiting = scene.waiting.without(task(first));
        }
        return order;
    }

    private Task task(long id) {
        return scene.waiting
                .inOrder(_ -> 0)
                .filter(task -> task.id().value() == id)
                .findFirst()
                .orElseThrow();
    }

    private Plan pass() {
        return planner.plan(scene.snapshot());
    }

    private List<Long> starts() {
        return pass().starts().stream().map(start -> start.task().value()).toList();
    }

    private List<WaitReason> why(long id) {
        return ((Verdict.Wait) planner.explain(scene.snapshot(), task(id))).reasons();
    }

    private static RefusedGpu refused(int index, Refusal refusal) {
        return new RefusedGpu(new Gpu(id(index), index, "A", 100), refusal);
    }
}
