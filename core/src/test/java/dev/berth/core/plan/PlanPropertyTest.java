package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.TaskId;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** Properties of every plan, for random snapshots. */
class PlanPropertyTest {

    private static final int WORLDS = 10_000;

    @Test
    void noGpuIsClaimedTwiceOrBeyondItsHeadroom() {
        everywhere(
                (world, plan) -> {
                    var fleet = world.scene.snapshot().fleet();
                    for (var entry : plan.fleet().holds()) {
                        var held = entry.getValue();
                        if (held.stream().anyMatch(hold -> hold.claim().isExclusive())) {
                            assertThat(held).hasSize(1);
                        }
                    }
                    for (var start : plan.starts()) {
                        assertThat(new HashSet<>(start.claims())).hasSameSizeAs(start.claims());
                        for (var claim : start.claims()) {
                            var state =
                                    (GpuState.Readable) fleet.gpus().get(claim.gpu()).orElseThrow();
                            var after = plan.fleet().holds().get(claim.gpu()).orElseThrow();
                            long promised =
                                    after.stream()
                                            .filter(hold -> isNew(hold, plan))
                                            .mapToLong(hold -> hold.claim().memoryMib())
                                            .sum();
                            var before = fleet.holds().get(claim.gpu()).orElse(List.of());
                            assertThat(promised)
                                    .isLessThanOrEqualTo(
                                            Headroom.mib(state.reading(), before).orElse(0));
                        }
                    }
                });
    }

    private static boolean isNew(HeldClaim hold, Plan plan) {
        return plan.starts().stream().anyMatch(start -> start.attempt().equals(hold.attempt()));
    }

    @Test
    void everyStartedTaskGetsWhatItNeeds() {
        everywhere(
                (world, plan) -> {
                    for (var start : plan.starts()) {
                        switch (task(world, start.task()).spec().requirements().need()) {
                            case Need.Cpu _ -> assertThat(start.claims()).isEmpty();
                            case Need.Gpus need -> {
                                assertThat(start.claims())
                                        .hasSizeBetween(need.count().min(), need.count().max());
                                need.devices()
                                        .ifPresent(
                                                named ->
                                                        assertThat(indices(world, start))
                                                                .isEqualTo(named.indices()));
                            }
                        }
                    }
                });
    }

    private static SortedSet<Integer> indices(RandomSnapshot world, Verdict.Start start) {
        var indices = new TreeSet<Integer>();
        for (var claim : start.claims()) {
            indices.add(world.scene.cards.get(claim.gpu()).orElseThrow().gpu().index());
        }
        return indices;
    }

    /** No earlier task of the same queue could have started instead. */
    @Test
    void noTaskStartsBeforeAWaitingHead() {
        everywhere(
                (world, plan) -> {
                    var started = started(plan);
                    for (var blocked : plan.blocked().entrySet()) {
                        var line = inOrder(world, blocked.getKey());
                        var behind =
                                line.subList(line.indexOf(blocked.getValue().id()), line.size());
                        // Under fair share the order changes during a pass.
                        if (world.planner.backfill() instanceof Backfill.Off
                                && !world.scene.waiting.order().dependsOnUsage()) {
                            assertThat(behind).noneMatch(started::contains);
                        }
                    }
                });
    }

    /** Otherwise a stream of small tasks would keep a task from the GPUs that it names. */
    @Test
    void noTaskTakesAGpuFromAWaitingHeadThatNamesIt() {
        var seen = new AtomicInteger();
        everywhere(
                (world, plan) -> {
                    var now = world.scene.snapshot();
                    var order = world.scene.waiting.inOrder(now::usedGpuSeconds).toList();
                    for (var head : plan.blocked().values()) {
                        if (!keepsItsGpus(world, head)) {
                            continue;
                        }
                        var behind = order.subList(order.indexOf(head) + 1, order.size());
                        for (var start : plan.starts()) {
                            if (behind.stream().anyMatch(one -> one.id().equals(start.task()))) {
                                assertThat(indices(world, start))
                                        .doesNotContainAnyElementsOf(named(head));
                                seen.incrementAndGet();
                            }
                        }
                    }
                });
        assertThat(seen).as("starts behind such a head").hasValueGreaterThan(100);
    }

    /** It names GPUs, and only Berth's tasks are in its way. */
    private static boolean keepsItsGpus(RandomSnapshot world, Task head) {
        var shape = Shape.of(head.spec());
        return !named(head).isEmpty()
                && world.planner.backfill() instanceof Backfill.Off
                && !world.scene.waiting.order().dependsOnUsage()
                && world.scene
                        .snapshot()
                        .fleet()
                        .views()
                        .filter(view -> named(head).contains(view.state().gpu().index()))
                        .allMatch(view -> isInUseByTasksOnly(world, shape, view));
    }

    private static boolean isInUseByTasksOnly(RandomSnapshot world, Shape shape, GpuView view) {
        return world.planner.refusal(shape, view, false).stream()
                .allMatch(why -> why instanceof Refusal.Held);
    }

    private static SortedSet<Integer> named(Task task) {
        return task.spec().requirements().need() instanceof Need.Gpus need
                ? need.devices().map(GpuIndices::indices).orElse(new TreeSet<>())
                : new TreeSet<>();
    }

    @Test
    void ofTwoEqualRequirementsTheFirstInOrderStartsFirst() {
        everywhere(
                (world, plan) -> {
                    var started = started(plan);
                    var used = world.scene.snapshot();
                    var order = world.scene.waiting.inOrder(used::usedGpuSeconds).toList();
                    for (int later = 1; later < order.size(); later++) {
                        for (var earlier : order.subList(0, later)) {
                            if (isSameAsk(earlier, order.get(later))
                                    && started.contains(order.get(later).id())) {
                                assertThat(started).contains(earlier.id());
                            }
                        }
                    }
                });
    }

    private static boolean isSameAsk(Task one, Task other) {
        return one.owner().equals(other.owner())
                && one.spec().requirements().need().equals(other.spec().requirements().need())
                && one.spec().requirements().work().equals(other.spec().requirements().work());
    }

    @Test
    void everyWaitHasAReasonAndEveryReasonIsTrue() {
        everywhere(
                (world, plan) -> {
                    var started = started(plan);
                    for (var task : world.scene.waiting.inOrder(_ -> 0).toList()) {
                        switch (world.planner.explain(world.scene.snapshot(), task)) {
                            case Verdict.Start _ -> assertThat(started).contains(task.id());
                            case Verdict.Wait(_, var reasons) -> {
                                assertThat(started).doesNotContain(task.id());
                                assertThat(reasons).isNotEmpty();
                                reasons.forEach(reason -> verify(world, plan, task, reason));
                            }
                        }
                    }
                });
    }

    /** Without its cause a reason disappears: the task starts, or only other reasons remain. */
    private static void verify(RandomSnapshot world, Plan plan, Task task, WaitReason reason) {
        switch (reason) {
            case WaitReason.BehindHead(TaskId head, _) -> {
                var without = world.scene.waiting.without(task(world, head));
                assertThat(reasons(world, task, without))
                        .noneMatch(
                                other ->
                                        other instanceof WaitReason.BehindHead(TaskId then, _)
                                                && then.equals(head));
            }
            case WaitReason.BehindReservation(TaskId head, _) -> {
                var without = world.scene.waiting.without(task(world, head));
                assertThat(reasons(world, task, without))
                        .noneMatch(
                                other ->
                                        other instanceof WaitReason.BehindReservation(var then, _)
                                                && then.equals(head));
            }
            case WaitReason.NotEnoughGpus(int wanted, int fitting, var refused) -> {
                assertThat(fitting).isLessThan(wanted);
                refused.forEach(one -> aRefusalDisappearsWithItsCause(world, task, one));
            }
            case WaitReason.NeverPossible(int wanted, int suitable, _) -> {
                assertThat(suitable).isLessThan(wanted);
                var now = world.scene.snapshot();
                assertThat(world.planner.explain(alone(now, task, emptied(now.fleet())), task))
                        .as("not even when every card is empty")
                        .isInstanceOf(Verdict.Wait.class);
            }
            case WaitReason.InCluster _, WaitReason.ClusterWindowFull _ ->
                    throw new AssertionError("there is no cluster: " + reason);
            case WaitReason.CpuLimitReached(int running, int most) ->
                    assertThat(running).isEqualTo(plan.cpuTasks()).isGreaterThanOrEqualTo(most);
            case WaitReason.LaneBusy _,
                    WaitReason.BackingOff _,
                    WaitReason.RunStarting _,
                    WaitReason.YieldingToOthers _ ->
                    throw new AssertionError("there are no lanes here");
            case WaitReason.CouldNotStart _ -> throw new AssertionError("nothing was started here");
            case WaitReason.Unloading _ -> throw new AssertionError("there are no workers here");
            case WaitReason.LimitReached _, WaitReason.OverBudget _ ->
                    throw new AssertionError("there are no limits here");
            case WaitReason.Paused _ -> throw new AssertionError("nothing is paused here");
        }
    }

    /** The same snapshot with other GPUs and no other waiting task. */
    private static Snapshot alone(Snapshot now, Task task, Fleet fleet) {
        var alone = WaitingTasks.none(now.waiting().order()).with(task);
        return new Snapshot(
                now.at(),
                alone,
                fleet,
                now.usedGpuSeconds(),
                StartConditions.of(0, now.starts().pause()));
    }

    /** The GPU is empty and no other task waits: only permanent reasons can remain. */
    private static void aRefusalDisappearsWithItsCause(
            RandomSnapshot world, Task task, WaitReason.RefusedGpu one) {
        var now = world.scene.snapshot();
        var other = alone(now, task, emptied(now.fleet(), one.gpu()));
        switch (world.planner.explain(other, task)) {
            case Verdict.Start start -> assertThat(start.claims()).isNotEmpty();
            case Verdict.Wait(_, var reasons) -> {
                assertThat(reasons).isNotEmpty();
                if (!one.refusal().isPermanent()) {
                    assertThat(refusedCards(reasons)).doesNotContain(one.gpu().index());
                }
            }
        }
    }

    private static List<Integer> refusedCards(List<WaitReason> reasons) {
        var cards = new ArrayList<Integer>();
        for (var reason : reasons) {
            if (reason instanceof WaitReason.NotEnoughGpus(_, _, var refused)) {
                refused.forEach(one -> cards.add(one.gpu().index()));
            }
        }
        return cards;
    }

    private static Fleet emptied(Fleet fleet, Gpu card) {
        var empty = new SnapshotBuilder();
        empty.card(card, card.totalMib(), 0, 40);
        return new Fleet(
                fleet.gpus().with(card.id(), empty.cards.first().orElseThrow().getValue()),
                fleet.holds().without(card.id()),
                fleet.releasing().without(card.id()),
                fleet.releasedAt(),
                fleet.loaded());
    }

    private static List<WaitReason> reasons(RandomSnapshot world, Task task, WaitingTasks waiting) {
        var now = world.scene.snapshot();
        var other =
                new Snapshot(now.at(), waiting, now.fleet(), now.usedGpuSeconds(), now.starts())
                        .with(now.bounds());
        return world.planner.explain(other, task) instanceof Verdict.Wait(_, var reasons)
                ? reasons
                : List.of();
    }

    @Test
    void withAllGpusFreeOnlyPermanentReasonsAndQueuePositionsRemain() {
        everywhere(
                (world, _) -> {
                    var now = world.scene.snapshot();
                    for (var task : world.scene.waiting.inOrder(_ -> 0).toList()) {
                        var free = alone(now, task, emptied(now.fleet()));
                        var verdict = world.planner.explain(free, task);
                        if (verdict instanceof Verdict.Wait(_, var reasons)) {
                            assertThat(reasons)
                                    .singleElement()
                                    .isInstanceOf(WaitReason.NeverPossible.class);
                        }
                    }
                });
    }

    private static Fleet emptied(Fleet fleet) {
        var empty = fleet;
        for (var state : fleet.gpus().values().toList()) {
            empty = emptied(empty, state.gpu());
        }
        return empty;
    }

    @Test
    void theSameSnapshotGivesTheSamePlan() {
        everywhere(
                (world, plan) -> {
                    var again = new RandomSnapshot(current);
                    assertThat(again.planner.plan(again.scene.snapshot())).isEqualTo(plan);
                });
    }

    private long current;

    private void everywhere(BiConsumer<RandomSnapshot, Plan> property) {
        for (current = 0; current < WORLDS; current++) {
            var world = new RandomSnapshot(current);
            try {
                property.accept(world, world.planner.plan(world.scene.snapshot()));
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError("in the world of seed " + current, broken);
            }
        }
    }

    private static List<TaskId> started(Plan plan) {
        return plan.starts().stream().map(Verdict.Start::task).toList();
    }

    private static List<TaskId> inOrder(RandomSnapshot world, QueueId line) {
        var ids = new ArrayList<TaskId>();
        world.scene
                .waiting
                .inOrder(line, world.scene.snapshot()::usedGpuSeconds)
                .forEach(task -> ids.add(task.id()));
        return ids;
    }

    private static Task task(RandomSnapshot world, TaskId id) {
        return world.scene
                .waiting
                .inOrder(_ -> 0)
                .filter(task -> task.id().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
