package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.lane.GpuSelection;
import dev.berth.core.lane.Lane;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskTransition;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Properties of lanes, for random waiting, running and delayed tasks. */
class LanePropertyTest {

    private static final int WORLDS = 5_000;

    @Test
    void onlyTheHeadOfAFreeLaneStarts() {
        everywhere(
                (world, plan) -> {
                    for (var start : plan.starts()) {
                        var task = world.task(start);
                        if (task.spec().options().lane().isPresent()) {
                            var lane = QueueId.of(task);
                            var lanes = world.scene.waiting.lanes();
                            assertThat(lanes.running(lane)).isEmpty();
                            var first = lanes.queued(lane).first().orElseThrow().getValue();
                            assertThat(first.id()).isEqualTo(task.id());
                            assertThat(world.scene.waiting.isDelayed(first)).isFalse();
                        }
                    }
                });
    }

    @Test
    void theStartsOfWaitsAreThoseOfAllTasksThatAreNotDelayed() {
        everywhere(
                (world, _) -> {
                    var waiting = world.scene.waiting;
                    var oldestFirst =
                            Comparator.comparing(Task::waitingSince).thenComparing(Task::id);
                    assertThat(waiting.waitStarts().tasks().values())
                            .containsExactlyElementsOf(
                                    waiting.all()
                                            .filter(task -> !waiting.isDelayed(task))
                                            .sorted(oldestFirst)
                                            .toList());
                    var later = waiting.at(SnapshotBuilder.NOW.plusSeconds(9));
                    assertThat(later.waitStarts().tasks().values())
                            .containsExactlyElementsOf(later.all().sorted(oldestFirst).toList());
                    var empty = later;
                    for (var task : later.all().toList()) {
                        empty = empty.without(task);
                    }
                    assertThat(empty.waitStarts().tasks().isEmpty()).isTrue();
                });
    }

    @Test
    void aPassStartsOneTaskOfARunAtMost() {
        everywhere(
                (world, plan) -> {
                    var runs = new ArrayList<Long>();
                    for (var start : plan.starts()) {
                        world.task(start)
                                .spec()
                                .fileRunLane()
                                .ifPresent(lane -> runs.add(lane.run()));
                    }
                    assertThat(runs).doesNotHaveDuplicates();
                    assertThat(runs).noneMatch(world.scene.spacing::contains);
                });
    }

    @Test
    void singleLanesTakeOnlyAllowedGpus() {
        everywhere(
                (world, plan) -> {
                    var theirs = world.lanes.usableGpus(world.scene.cards, GpuPool.ALL);
                    for (var start : plan.starts()) {
                        var manners = world.manners(start);
                        for (var claim : start.claims()) {
                            int index = world.index(claim.gpu());
                            if (manners.yieldsToOthers()) {
                                assertThat(theirs.all()).contains(index);
                            }
                            if (manners == GpuSelection.SINGLE) {
                                assertThat(theirs.leftForOthers()).doesNotContain(index);
                            }
                        }
                    }
                });
    }

    /** Checked after each start of the pass. */
    @Test
    void enoughGpusStayIdleUnlessTheMinimumNeedsThem() {
        everywhere(
                (world, plan) -> {
                    var fleet = world.scene.snapshot().fleet().withLaneGpus(world.rules());
                    for (var start : plan.starts()) {
                        fleet = fleet.with(start.attempt(), start.claims());
                        int idle = world.planner.idleLaneGpus(fleet).size();
                        var manners = world.manners(start);
                        boolean isLeast =
                                world.task(start).spec().requirements().need()
                                                instanceof Need.Gpus need
                                        && start.claims().size() == need.count().min();
                        if (manners == GpuSelection.SINGLE) {
                            assertThat(idle).isGreaterThanOrEqualTo(world.lanes.leftForOthers());
                        }
                        if (manners == GpuSelection.MULTI && idle < world.lanes.leftForOthers()) {
                            assertThat(isLeast).isTrue();
                            assertThat(start.leavesTooFewIdle()).isTrue();
                        }
                    }
                });
    }

    @Test
    void everyWaitingLaneTaskHasAReason() {
        everywhere(
                (world, plan) -> {
                    var started = plan.starts().stream().map(Verdict.Start::task).toList();
                    for (var task : world.scene.waiting.all().toList()) {
                        var verdict = world.planner.explain(world.scene.snapshot(), task);
                        if (verdict instanceof Verdict.Wait(_, var reasons)) {
                            assertThat(reasons).isNotEmpty();
                            assertThat(started).doesNotContain(task.id());
                        }
                    }
                });
    }

    @Test
    void theSameSnapshotGivesTheSamePlan() {
        everywhere(
                (world, plan) -> {
                    var again = new LaneWorld(world.seed);
                    assertThat(again.planner.plan(again.scene.snapshot())).isEqualTo(plan);
                });
    }

    private static void everywhere(BiConsumer<LaneWorld, Plan> property) {
        for (long seed = 0; seed < WORLDS; seed++) {
            var world = new LaneWorld(seed);
            try {
                property.accept(world, world.planner.plan(world.scene.snapshot()));
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError("in the world of seed " + seed, broken);
            }
        }
    }

    /** A few GPUs, two file runs, and tasks with and without a lane. */
    private static final class LaneWorld {

        final long seed;
        final SnapshotBuilder scene = new SnapshotBuilder();
        final LaneRules lanes;
        final Planner planner;
        private final Random random;
        private final List<Task> tasks = new ArrayList<>();

        LaneWorld(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            int cards = 1 + random.nextInt(5);
            for (int index = 0; index < cards; index++) {
                card(index);
            }
            lanes =
                    new LaneRules(
                            random.nextInt(3) == 0 ? Optional.of(some(cards)) : Optional.empty(),
                            random.nextInt(3),
                            random.nextInt(4) == 0);
            planner = new Planner(rules());
            int count = random.nextInt(12);
            for (int id = 1; id <= count; id++) {
                add(id);
            }
            if (random.nextInt(6) == 0) {
                scene.spacing.add(1L);
            }
        }

        SchedulingRules rules() {
            var foreign = seed % 2 == 0 ? ForeignProcessPolicy.YIELD : ForeignProcessPolicy.FIT;
            return new SchedulingRules(20, foreign, GpuPool.ALL).with(lanes);
        }

        private List<Integer> some(int cards) {
            var indices = new TreeSet<Integer>();
            for (int i = 0; i < cards; i++) {
                indices.add(random.nextInt(cards + 1));
            }
            return List.copyOf(indices.descendingSet());
        }

        private void card(int index) {
            scene.card(index, "A", random.nextInt(3) == 0 ? 10 : 0);
            if (random.nextInt(5) == 0) {
                scene.hold(index, 100 + index);
            } else if (random.nextInt(4) == 0) {
                occupy(index);
            }
        }

        private void occupy(int index) {
            var state =
                    (GpuState.Readable) scene.cards.get(SnapshotBuilder.id(index)).orElseThrow();
            var one =
                    new GpuProcess(
                            7,
                            OptionalLong.of(5),
                            GpuProcess.Kind.COMPUTE,
                            "python",
                            new ProcessOwner.HostUser("eve", random.nextBoolean()),
                            Optional.empty());
            var reading = state.reading().withProcesses(Optional.of(List.of(one)));
            scene.cards =
                    scene.cards.with(
                            SnapshotBuilder.id(index), new GpuState.Readable(state.gpu(), reading));
        }

        private void add(long id) {
            int least = 1 + random.nextInt(3);
            var task =
                    switch (random.nextInt(4)) {
                        case 0 -> scene.queue(id, Need.gpus(1 + random.nextInt(2)));
                        case 1 ->
                                scene.lane(
                                        id,
                                        new Lane.OfFileRun(2, random.nextInt(3), true),
                                        new Need.GpuCount(least, least + random.nextInt(3)),
                                        random.nextInt(60));
                        default ->
                                scene.lane(
                                        id,
                                        new Lane.OfFileRun(1, random.nextInt(3), false),
                                        Need.GpuCount.of(1),
                                        random.nextInt(60));
                    };
            tasks.add(task);
            if (random.nextInt(6) == 0) {
                var begun = task.after(new TaskTransition.Start(1));
                scene.waiting = scene.waiting.without(task).withRunning(begun);
            } else if (random.nextInt(6) == 0) {
                var until = Optional.of(SnapshotBuilder.NOW.plusSeconds(9));
                var resting =
                        task.after(new TaskTransition.Start(1))
                                .after(new TaskTransition.Retry(SnapshotBuilder.NOW, until));
                scene.waiting = scene.waiting.without(task).with(resting);
            }
        }

        Task task(Verdict.Start start) {
            return tasks.stream()
                    .filter(task -> task.id().equals(start.task()))
                    .findFirst()
                    .orElseThrow();
        }

        GpuSelection manners(Verdict.Start start) {
            return Shape.of(task(start).spec()).gpuSelection();
        }

        int index(GpuId card) {
            return scene.cards.get(card).orElseThrow().gpu().index();
        }
    }
}
