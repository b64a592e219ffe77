package dev.berth.core.plan;

import static dev.berth.core.plan.HeadGuard.PATIENCE;
import static dev.berth.core.plan.SnapshotBuilder.NOW;
import static dev.berth.core.plan.SnapshotBuilder.attempt;
import static dev.berth.core.plan.SnapshotBuilder.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Two GPUs unless stated; task 9 holds GPU 1, and task 1 needs both. */
class SafeBackfillTest {

    private static final Need ONE = Need.gpus(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final SnapshotBuilder scene = new SnapshotBuilder();
    private final TreeMap<Long, Instant> ends = new TreeMap<>();
    private Backfill backfill = new Backfill.Safe();

    @BeforeEach
    void twoGpusOneBusy() {
        scene.card(0, "A", 0);
        scene.card(1, "A", 0);
        scene.hold(1, 9);
        scene.queue(1, Need.gpus(2));
        scene.bounds =
                new RunBounds() {
                    @Override
                    public Optional<Instant> end(AttemptId running) {
                        return Optional.ofNullable(ends.get(running.task().value()));
                    }

                    @Override
                    public Optional<Duration> length(Task waiting) {
                        return waiting.spec().options().timeLimit();
                    }
                };
    }

    private void queue(long id, Need need, Duration limit) {
        scene.queue(id, "ann", TaskSpec.of("task " + id, "true", need, "/").with(limit));
    }

    private Plan plan() {
        return new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement())
                .plan(scene.snapshot());
    }

    private List<Long> starts() {
        return plan().starts().stream().map(start -> start.task().value()).toList();
    }

    private List<WaitReason> why(long id) {
        var planner = new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
        var task =
                scene.waiting.all().filter(one -> one.id().value() == id).findFirst().orElseThrow();
        return ((Verdict.Wait) planner.explain(scene.snapshot(), task)).reasons();
    }

    @Test
    void aTaskOfUnknownLengthWaitsAndAShortOneStarts() {
        ends.put(9L, NOW.plus(HOUR));
        scene.queue(2, ONE);
        assertThat(starts()).isEmpty();
        assertThat(why(2))
                .containsExactly(
                        new WaitReason.BehindReservation(
                                new TaskId(1), Optional.of(NOW.plus(HOUR))));
        queue(3, ONE, HOUR.plusSeconds(1));
        assertThat(starts()).as("it would run one second too long").isEmpty();
        queue(4, ONE, HOUR);
        assertThat(starts()).containsExactly(4L);
        backfill = new Backfill.Off();
        assertThat(starts()).isEmpty();
        backfill = new Backfill.Greedy();
        assertThat(starts()).containsExactly(2L);
    }

    @Test
    void aHeadThatHasWaitedTwoDaysLeavesNoGpuToOthersBecauseOfOverruns() {
        scene.card(2, "A", 0);
        scene.hold(2, 8);
        ends.put(9L, NOW.minus(HOUR));
        ends.put(8L, NOW.minus(HOUR));
        scene.queue(2, ONE);
        assertThat(starts()).as("two GPUs count as about to be free").containsExactly(2L);
        var head = plan().promise().orElseThrow().head();
        scene.now = head.waitingSince().plus(PATIENCE);
        assertThat(starts()).as("only GPU 0 is certain").isEmpty();
        scene.now = scene.now.minusSeconds(1);
        assertThat(starts()).containsExactly(2L);
    }

    @Test
    void thePlanTellsThePromisedStartAndItsGpus() {
        ends.put(9L, NOW.plus(HOUR));
        var promise = plan().promise().orElseThrow();
        assertThat(promise.head().id()).isEqualTo(new TaskId(1));
        assertThat(promise.at()).contains(NOW.plus(HOUR));
        assertThat(promise.gpus()).containsExactly(id(0), id(1));
        assertThat(promise.overrunning()).isEmpty();
    }

    @Test
    void whileNoEndIsKnownOnlyGpusThatTheHeadCanNeverUseAreTaken() {
        scene.card(2, "B", 0);
        scene.waiting = scene.waiting.without(scene.waiting.all().findFirst().orElseThrow());
        scene.queue(
                1, new Need.Gpus(Need.GpuCount.of(2), Optional.of("A"), Need.GpuMemory.UNSTATED));
        queue(2, ONE, Duration.ofSeconds(1));
        scene.queue(3, ONE);
        assertThat(plan().promise().orElseThrow().at()).isEmpty();
        assertThat(plan().starts())
                .singleElement()
                .satisfies(
                        start -> {
                            assertThat(start.task()).isEqualTo(new TaskId(2));
                            assertThat(start.claims().getFirst().gpu()).isEqualTo(id(2));
                        });
        assertThat(why(3)).anyMatch(WaitReason.BehindHead.class::isInstance);
    }

    @Test
    void aTaskOfAnyLengthTakesAGpuThatTheHeadDoesNotNeedAtItsStart() {
        scene.card(2, "A", 0);
        scene.hold(2, 8);
        scene.card(3, "A", 0);
        scene.hold(3, 7);
        ends.put(9L, NOW.plus(HOUR));
        ends.put(8L, NOW.plus(HOUR));
        scene.queue(2, ONE);
        scene.queue(3, ONE);
        assertThat(starts()).as("two of GPUs 0, 1 and 2 are enough").containsExactly(2L);
    }

    @Test
    void theReservationHoldsAcrossQueues() {
        ends.put(9L, NOW.plus(HOUR));
        var named = Need.Gpus.on(GpuIndices.of(0), Optional.empty(), Need.GpuMemory.UNSTATED);
        scene.queue(2, named);
        assertThat(starts()).isEmpty();
        assertThat(why(2))
                .containsExactly(
                        new WaitReason.BehindReservation(
                                new TaskId(1), Optional.of(NOW.plus(HOUR))));
        queue(3, named, HOUR);
        assertThat(starts()).containsExactly(3L);
    }

    @Test
    void tasksThatNameTheirGpusDoNotWaitForAMainHeadOfUnknownStart() {
        scene.queue(2, Need.Gpus.on(GpuIndices.of(0), Optional.empty(), Need.GpuMemory.UNSTATED));
        assertThat(starts()).containsExactly(2L);
        assertThat(plan().promise().orElseThrow().at()).isEmpty();
        assertThat(why(1)).isNotEmpty();
    }

    @Test
    void nobodyTakesTheGpusOfANamingHeadAlsoIfAMainHeadWaits() {
        var zero = Need.Gpus.on(GpuIndices.of(0), Optional.empty(), Need.GpuMemory.UNSTATED);
        scene.queue(
                2, Need.Gpus.on(GpuIndices.of(0, 1), Optional.empty(), Need.GpuMemory.UNSTATED));
        scene.queue(3, zero);
        assertThat(starts()).isEmpty();
        assertThat(why(3))
                .containsExactly(new WaitReason.BehindReservation(new TaskId(2), Optional.empty()));
    }

    @Test
    void aHeadThatNamesItsGpusIsPromisedAStartToo() {
        scene.card(2, "A", 0);
        scene.waiting = scene.waiting.without(scene.waiting.all().findFirst().orElseThrow());
        scene.queue(
                1, Need.Gpus.on(GpuIndices.of(0, 1), Optional.empty(), Need.GpuMemory.UNSTATED));
        ends.put(9L, NOW.plus(HOUR));
        scene.queue(2, ONE);
        scene.queue(3, ONE);
        assertThat(plan().starts())
                .singleElement()
                .satisfies(start -> assertThat(start.claims().getFirst().gpu()).isEqualTo(id(2)));
    }

    @Test
    void thereIsOneReservationForTheFirstInOrder() {
        ends.put(9L, NOW.plus(HOUR));
        scene.queue(5, Priority.HIGH, Need.gpus(2));
        queue(6, ONE, HOUR);
        assertThat(plan().promise().orElseThrow().head().id()).isEqualTo(new TaskId(5));
        assertThat(starts()).containsExactly(6L);
    }

    @Test
    void anOverrunMovesTheStartAndIsShown() {
        ends.put(9L, NOW.minusSeconds(60));
        queue(2, ONE, Duration.ofSeconds(1));
        var promise = plan().promise().orElseThrow();
        assertThat(promise.at()).contains(NOW);
        assertThat(promise.overrunning()).containsExactly(attempt(9));
        assertThat(starts()).isEmpty();
    }

    @Test
    void sharedMemoryThatTheHeadNeedsAtItsStartIsKept() {
        var one = new SnapshotBuilder();
        one.bounds = scene.bounds;
        one.card(new Gpu(id(0), 0, "A", 100), 100, 0, 40);
        one.hold(0, 9, 40, false);
        ends.put(9L, NOW.plus(HOUR));
        one.queue(1, Need.Gpus.shared(70));
        one.queue(2, Need.Gpus.shared(40));
        one.queue(3, Need.Gpus.shared(20));
        one.queue(4, Need.Gpus.shared(20));
        var planner = new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
        assertThat(planner.plan(one.snapshot()).starts())
                .extracting(start -> start.task().value())
                .as("70 of 100 are promised: 20 fit beside them, 40 do not")
                .containsExactly(3L);
    }

    /** Nobody knows how long a fault lasts: other queues do not wait for it. */
    @Test
    void aHeadThatWaitsForAFaultyGpuKeepsItsTurnOnlyInItsQueue() {
        var gpu = new Gpu(id(1), 1, "A", 100);
        scene.holds = scene.holds.without(id(1));
        scene.cards = scene.cards.with(id(1), new GpuState.Failed(gpu, "gone"));
        queue(2, ONE, Duration.ofSeconds(1));
        assertThat(starts()).isEmpty();
        assertThat(plan().promise()).isEmpty();
        scene.queue(3, Need.Gpus.on(GpuIndices.of(0), Optional.empty(), Need.GpuMemory.UNSTATED));
        assertThat(starts()).containsExactly(3L);
    }

    @Test
    void aShortTaskIsFoundBehindLongOnesOfItsGroup() {
        ends.put(9L, NOW.plus(HOUR));
        for (int id = 10; id < 100; id++) {
            scene.queue(id, ONE);
        }
        queue(100, ONE, HOUR);
        assertThat(starts()).containsExactly(100L);
        backfill = new Backfill.Safe(10, 1000);
        assertThat(starts()).as("the search is limited").isEmpty();
        backfill = new Backfill.Safe(1000, 10);
        assertThat(starts()).as("also for all groups together").isEmpty();
        backfill = new Backfill.Safe(1000, 1000);
        assertThat(starts()).containsExactly(100L);
    }
}
