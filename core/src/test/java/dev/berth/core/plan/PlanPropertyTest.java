package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardState;
import dev.berth.core.line.LineId;
import dev.berth.core.line.Waiting;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** What holds of every plan, whatever the world looks like. */
class PlanPropertyTest {

    private static final int WORLDS = 10_000;

    @Test
    void noCardIsPromisedTwiceOrBeyondItsHeadroom() {
        everywhere(
                (world, plan) -> {
                    var fleet = world.scene.snapshot().fleet();
                    for (var entry : plan.fleet().holds()) {
                        var held = entry.getValue();
                        if (held.stream().anyMatch(hold -> hold.claim().exclusive())) {
                            assertThat(held).hasSize(1);
                        }
                    }
                    for (var start : plan.starts()) {
                        assertThat(new HashSet<>(start.claims())).hasSameSizeAs(start.claims());
                        for (var claim : start.claims()) {
                            var state =
                                    (CardState.Readable)
                                            fleet.cards().get(claim.card()).orElseThrow();
                            var after = plan.fleet().holds().get(claim.card()).orElseThrow();
                            long promised =
                                    after.stream()
                                            .filter(hold -> isNew(hold, plan))
                                            .mapToLong(hold -> hold.claim().mib())
                                            .sum();
                            var before = fleet.holds().get(claim.card()).orElse(List.of());
                            assertThat(promised)
                                    .isLessThanOrEqualTo(
                                            Headroom.mib(state.reading(), before).orElse(0));
                        }
                    }
                });
    }

    private static boolean isNew(Hold hold, Plan plan) {
        return plan.starts().stream().anyMatch(start -> start.attempt().equals(hold.attempt()));
    }

    @Test
    void whoeverStartsIsGivenWhatItAskedFor() {
        everywhere(
                (world, plan) -> {
                    for (var start : plan.starts()) {
                        switch (task(world, start.task()).spec().need()) {
                            case Need.Cpu _ -> assertThat(start.claims()).isEmpty();
                            case Need.Cards need -> {
                                assertThat(start.claims())
                                        .hasSizeBetween(need.count().least(), need.count().most());
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

    private static SortedSet<Integer> indices(RandomWorld world, Verdict.Start start) {
        var indices = new TreeSet<Integer>();
        for (var claim : start.claims()) {
            indices.add(world.scene.cards.get(claim.card()).orElseThrow().card().index());
        }
        return indices;
    }

    /** Whoever starts has nobody before them in their line who could have started. */
    @Test
    void nobodyPassesAHeadThatWaits() {
        everywhere(
                (world, plan) -> {
                    var started = started(plan);
                    for (var blocked : plan.blocked().entrySet()) {
                        var line = inOrder(world, blocked.getKey());
                        var behind =
                                line.subList(line.indexOf(blocked.getValue().id()), line.size());
                        // Under fair share the order moves while a pass gives.
                        if (!world.scene.waiting.order().isByUse()) {
                            assertThat(behind).noneMatch(started::contains);
                        }
                    }
                });
    }

    @Test
    void ofTwoEqualAsksTheOneThatIsFirstInOrderStartsFirst() {
        everywhere(
                (world, plan) -> {
                    var started = started(plan);
                    var used = world.scene.snapshot();
                    var order = world.scene.waiting.inOrder(used::used).toList();
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
                && one.spec().need().equals(other.spec().need())
                && one.spec().work().equals(other.spec().work());
    }

    @Test
    void everyWaitHasAReasonAndEveryReasonIsTrue() {
        everywhere(
                (world, plan) -> {
                    var started = started(plan);
                    for (var task : world.scene.waiting.inOrder(_ -> 0).toList()) {
                        switch (world.planner.why(world.scene.snapshot(), task)) {
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

    /** Without its cause a reason goes away: the task starts, or the others are left. */
    private static void verify(RandomWorld world, Plan plan, Task task, WaitReason reason) {
        switch (reason) {
            case WaitReason.Behind(TaskId head, _) -> {
                var without = world.scene.waiting.without(task(world, head));
                assertThat(reasons(world, task, without))
                        .noneMatch(
                                other ->
                                        other instanceof WaitReason.Behind(TaskId then, _)
                                                && then.equals(head));
            }
            case WaitReason.CardsShort(int wanted, int fitting, var refused) -> {
                assertThat(fitting).isLessThan(wanted);
                refused.forEach(one -> withoutItsCauseTheRefusalGoes(world, task, one));
            }
            case WaitReason.Impossible(int wanted, int suitable, _) -> {
                assertThat(suitable).isLessThan(wanted);
                var now = world.scene.snapshot();
                assertThat(world.planner.why(alone(now, task, emptied(now.fleet())), task))
                        .as("not even when every card is empty")
                        .isInstanceOf(Verdict.Wait.class);
            }
            case WaitReason.CpuFull(int running, int most) ->
                    assertThat(running).isEqualTo(plan.cpuTasks()).isGreaterThanOrEqualTo(most);
            case WaitReason.LaneBusy _,
                    WaitReason.Resting _,
                    WaitReason.Spacing _,
                    WaitReason.Polite _ ->
                    throw new AssertionError("there are no lanes here");
            case WaitReason.Paused _ -> throw new AssertionError("nothing is paused here");
        }
    }

    /** The same moment on other cards, with nobody else waiting. */
    private static Snapshot alone(Snapshot now, Task task, Fleet fleet) {
        var alone = Waiting.nobody(now.waiting().order()).with(task);
        return new Snapshot(now.at(), alone, fleet, now.used(), 0, now.pause());
    }

    /** The card is emptied and nobody else waits: nothing but what it is can speak against it. */
    private static void withoutItsCauseTheRefusalGoes(
            RandomWorld world, Task task, WaitReason.CardRefused one) {
        var now = world.scene.snapshot();
        var other = alone(now, task, emptied(now.fleet(), one.card()));
        switch (world.planner.why(other, task)) {
            case Verdict.Start start -> assertThat(start.claims()).isNotEmpty();
            case Verdict.Wait(_, var reasons) -> {
                assertThat(reasons).isNotEmpty();
                if (!one.refusal().isForEver()) {
                    assertThat(refusedCards(reasons)).doesNotContain(one.card().index());
                }
            }
        }
    }

    private static List<Integer> refusedCards(List<WaitReason> reasons) {
        var cards = new ArrayList<Integer>();
        for (var reason : reasons) {
            if (reason instanceof WaitReason.CardsShort(_, _, var refused)) {
                refused.forEach(one -> cards.add(one.card().index()));
            }
        }
        return cards;
    }

    private static Fleet emptied(Fleet fleet, Card card) {
        var empty = new Scene();
        empty.card(card, card.totalMib(), 0, 40);
        return new Fleet(
                fleet.cards().with(card.id(), empty.cards.first().orElseThrow().getValue()),
                fleet.holds().without(card.id()),
                fleet.leaving().without(card.id()),
                fleet.releasedAt(),
                fleet.loaded());
    }

    private static List<WaitReason> reasons(RandomWorld world, Task task, Waiting waiting) {
        var now = world.scene.snapshot();
        var other =
                new Snapshot(
                        now.at(), waiting, now.fleet(), now.used(), now.cpuTasks(), now.pause());
        return world.planner.why(other, task) instanceof Verdict.Wait(_, var reasons)
                ? reasons
                : List.of();
    }

    @Test
    void freeingEveryCardLeavesOnlyWhatNeverCouldStartOrStandsBehind() {
        everywhere(
                (world, _) -> {
                    var now = world.scene.snapshot();
                    for (var task : world.scene.waiting.inOrder(_ -> 0).toList()) {
                        var free = alone(now, task, emptied(now.fleet()));
                        var verdict = world.planner.why(free, task);
                        if (verdict instanceof Verdict.Wait(_, var reasons)) {
                            assertThat(reasons)
                                    .singleElement()
                                    .isInstanceOf(WaitReason.Impossible.class);
                        }
                    }
                });
    }

    private static Fleet emptied(Fleet fleet) {
        var empty = fleet;
        for (var state : fleet.cards().values().toList()) {
            empty = emptied(empty, state.card());
        }
        return empty;
    }

    @Test
    void theSameSnapshotGivesTheSamePlan() {
        everywhere(
                (world, plan) -> {
                    var again = new RandomWorld(current);
                    assertThat(again.planner.pass(again.scene.snapshot())).isEqualTo(plan);
                });
    }

    private long current;

    private void everywhere(BiConsumer<RandomWorld, Plan> property) {
        for (current = 0; current < WORLDS; current++) {
            var world = new RandomWorld(current);
            try {
                property.accept(world, world.planner.pass(world.scene.snapshot()));
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError("in the world of seed " + current, broken);
            }
        }
    }

    private static List<TaskId> started(Plan plan) {
        return plan.starts().stream().map(Verdict.Start::task).toList();
    }

    private static List<TaskId> inOrder(RandomWorld world, LineId line) {
        var ids = new ArrayList<TaskId>();
        world.scene
                .waiting
                .inOrder(line, world.scene.snapshot()::used)
                .forEach(task -> ids.add(task.id()));
        return ids;
    }

    private static Task task(RandomWorld world, TaskId id) {
        return world.scene
                .waiting
                .inOrder(_ -> 0)
                .filter(task -> task.id().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
