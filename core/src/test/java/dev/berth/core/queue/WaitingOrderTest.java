package dev.berth.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.id.TaskId;
import dev.berth.core.predict.RunTime;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** The same tasks under each queue order. */
class WaitingOrderTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final ToDoubleFunction<String> NOTHING = _ -> 0;

    private static final UserWeights PEOPLE =
            new UserWeights(
                    new TreeMap<>(
                            Map.of(
                                    "ann", new UserWeights.UserWeight(2, false),
                                    "vera", new UserWeights.UserWeight(1, true))));

    private static final List<Task> TASKS =
            List.of(
                    task(1, "bob", Priority.LOW, 10),
                    task(2, "bob", Priority.NORMAL, 50),
                    task(3, "ann", Priority.NORMAL, 40),
                    task(4, "vera", Priority.NORMAL, 30),
                    task(5, "cid", Priority.NORMAL, 20),
                    task(6, "bob", Priority.HIGH, 0),
                    task(7, "bob", Priority.CRITICAL, 60));

    @Test
    void priorityGoesByClassThenVipThenWeightThenAge() {
        assertThat(order(new PriorityOrder(PEOPLE), NOTHING)).containsExactly(7, 6, 4, 3, 2, 5, 1);
    }

    @Test
    void aPassDoesNotSeeGroupsOfOwnersAtALimit() {
        var heads =
                waiting(new PriorityOrder(PEOPLE))
                        .heads(
                                NOTHING,
                                T0.plusSeconds(100),
                                Set.of(),
                                group -> !group.owner().name().equals("bob"));

        assertThat(heads)
                .extracting(head -> head.task().id().value())
                .containsExactlyInAnyOrder(3L, 4L, 5L);
    }

    @Test
    void withEqualWeightsOnlyPriorityAndAgeCount() {
        assertThat(order(new PriorityOrder(UserWeights.EQUAL), NOTHING))
                .containsExactly(7, 6, 2, 3, 4, 5, 1);
    }

    @Test
    void fifoGoesByAgeAlone() {
        assertThat(order(new FifoOrder(), NOTHING)).containsExactly(1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void shortestFirstGoesByClassThenTimeLimitAndWhoStatesNoneGoesLast() {
        assertThat(order(new ShortestFirstOrder(), NOTHING)).containsExactly(7, 6, 5, 4, 3, 2, 1);
        var unlimited = task(8, "bob", Priority.NORMAL, 0);
        var waiting = waiting(new ShortestFirstOrder()).with(unlimited);
        assertThat(ids(waiting, NOTHING)).containsExactly(7, 6, 5, 4, 3, 2, 8, 1);
    }

    /** Ann and Cid are in vision, which has twice the weight of all others. */
    @Test
    void fairShareComparesGroupsFirstThenTheirUsers() {
        var weights = new UserWeights(new TreeMap<>(), new TreeMap<>(Map.of("vision", 2.0)));
        var members = new TreeSet<>(List.of("staff", "vision"));
        var groups = UserGroups.NONE.with("unix:ann", members).with("unix:cid", members);
        var order = new FairShareOrder(weights, groups);
        var used = new TreeMap<>(Map.of("unix:ann", 90.0, "unix:cid", 30.0, "unix:bob", 61.0));
        assertThat(order(order, withTotals(order, used)))
                .as("vision has used 60 for its weight, the others 61; Cid less than Ann")
                .containsExactly(7, 6, 5, 3, 4, 2, 1);
        used.put("unix:bob", 59.0);
        assertThat(order(order, withTotals(order, used))).containsExactly(7, 6, 4, 2, 5, 3, 1);
        assertThat(order.chargedKeys(Owner.unix("ann")))
                .containsExactly("unix:ann", "group:vision");
        assertThat(order.withGroupTotals(order.withGroupTotals(used)))
                .isEqualTo(order.withGroupTotals(used));
    }

    private static ToDoubleFunction<String> withTotals(
            QueueOrder order, TreeMap<String, Double> used) {
        var all = order.withGroupTotals(used);
        return key -> all.getOrDefault(key, 0.0);
    }

    /** The prediction may change while the task waits. */
    @Test
    void shortestFirstGoesByPredictionElseByTimeLimit() {
        var unlimited = task(8, "bob", Priority.NORMAL, 0);
        var waiting = waiting(new ShortestFirstOrder()).with(unlimited);
        RunTimes known =
                (owner, _) ->
                        owner.name().equals("bob")
                                ? Optional.of(
                                        new RunTime(
                                                Duration.ofMinutes(25), Duration.ofMinutes(60), 3))
                                : Optional.empty();
        var after = waiting.with(known);
        assertThat(ids(after, NOTHING)).containsExactly(7, 6, 5, 2, 8, 4, 3, 1);
        assertThat(after.position(unlimited, NOTHING)).hasValue(4);
        assertThat(ids(after.without(unlimited), NOTHING)).containsExactly(7, 6, 5, 2, 4, 3, 1);
    }

    /** 20 minutes on three GPUs are more than 50 on one. */
    @Test
    void smallestFirstGoesByClassThenTheGpuTimeThatIsExpected() {
        var large = task(8, "bob", Need.gpus(3));
        var waiting = waiting(new SmallestFirstOrder()).with(large);
        RunTimes known =
                (owner, _) ->
                        Optional.of(
                                new RunTime(
                                        Duration.ofMinutes(owner.name().equals("bob") ? 20 : 35),
                                        Duration.ofMinutes(60),
                                        3));
        assertThat(ids(waiting, NOTHING)).containsExactly(7, 6, 5, 4, 3, 2, 8, 1);
        assertThat(ids(waiting.with(known), NOTHING)).containsExactly(7, 6, 2, 5, 4, 3, 8, 1);
    }

    @Test
    void whoHasWaitedForAWeekGoesFirstInItsClassUnderTheOrdersByLength() {
        var late = T0.plus(QueueOrder.MAX_PASSED).plusSeconds(3);
        for (var order : List.of(new ShortestFirstOrder(), new SmallestFirstOrder())) {
            var before = waiting(order).at(late.minusSeconds(3));
            assertThat(ids(before, NOTHING)).containsExactly(7, 6, 5, 4, 3, 2, 1);

            var waiting = before.at(late);

            assertThat(ids(waiting, NOTHING)).containsExactly(7, 6, 2, 3, 5, 4, 1);
            assertThat(waiting.position(TASKS.get(2), NOTHING)).hasValue(3);
            assertThat(ids(waiting.without(TASKS.get(1)), NOTHING))
                    .containsExactly(7, 6, 3, 5, 4, 1);
            assertThat(waiting).isEqualTo(waiting(order).at(late));
            assertThat(waiting.size()).isEqualTo(TASKS.size());
        }
        assertThat(ids(waiting(new PriorityOrder(PEOPLE)).at(late), NOTHING))
                .containsExactly(7, 6, 4, 3, 2, 5, 1);
    }

    @Test
    void fairShareGoesByClassThenVipThenWhoHadLeastForTheirWeight() {
        var used = Map.of("unix:ann", 150.0, "unix:bob", 100.0, "unix:cid", 80.0, "unix:vera", 9e9);
        assertThat(order(new FairShareOrder(PEOPLE), who -> used.getOrDefault(who, 0.0)))
                .containsExactly(7, 6, 4, 3, 5, 2, 1);
    }

    @Test
    void anOlderTaskGoesFirstWheneverItJoined() {
        var waiting = WaitingTasks.none(new PriorityOrder(UserWeights.EQUAL));
        waiting = waiting.with(task(2, "ann", Priority.NORMAL, 0));
        waiting = waiting.with(task(1, "bob", Priority.NORMAL, 0));
        assertThat(ids(waiting, NOTHING)).containsExactly(1, 2);
    }

    @Test
    void thePositionIsThePlaceInTheLineUnderEveryOrder() {
        ToDoubleFunction<String> used = who -> who.hashCode() % 7;
        for (var order :
                List.of(
                        new PriorityOrder(PEOPLE),
                        new FairShareOrder(PEOPLE),
                        new FifoOrder(),
                        new ShortestFirstOrder(),
                        new SmallestFirstOrder())) {
            var waiting = waiting(order).at(T0.plus(QueueOrder.MAX_PASSED).plusSeconds(3));
            var line = waiting.inOrder(QueueId.MAIN, used).toList();
            assertThat(line).hasSize(TASKS.size());
            for (int place = 0; place < line.size(); place++) {
                assertThat(waiting.position(line.get(place), used))
                        .as("%s, task %s", order.configName(), line.get(place).id())
                        .hasValue(place);
            }
        }
    }

    @Test
    void queuesArePositionedSeparately() {
        var cpu = task(8, "ann", Need.CPU);
        var named =
                task(
                        9,
                        "ann",
                        Need.Gpus.on(
                                GpuIndices.of(0, 1), Optional.empty(), Need.GpuMemory.UNSTATED));
        var waiting = waiting(new FifoOrder()).with(cpu).with(named);
        assertThat(waiting.queues()).hasSize(3);
        assertThat(waiting.position(cpu, NOTHING)).hasValue(0);
        assertThat(waiting.position(named, NOTHING)).hasValue(0);
        assertThat(waiting.inOrder(QueueId.of(named), NOTHING)).containsExactly(named);
        assertThat(waiting.size()).isEqualTo(9);
        assertThat(waiting.countsByPrincipal().count("unix:ann")).isEqualTo(3);
    }

    @Test
    void aRemovedTaskIsNoLongerCounted() {
        var waiting = waiting(new PriorityOrder(PEOPLE));
        for (var task : TASKS) {
            waiting = waiting.without(task);
            assertThat(waiting.position(task, NOTHING)).isEqualTo(OptionalInt.empty());
            assertThat(waiting.without(task)).isSameAs(waiting);
        }
        assertThat(waiting).isEqualTo(WaitingTasks.none(waiting.order()));
    }

    @Test
    void aWeightIsAboveZero() {
        for (double wrong : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new UserWeights.UserWeight(wrong, false));
        }
    }

    @Test
    void usageHalvesInADay() {
        var usage = GpuUsage.NONE.with("ann", new GpuUsage.Account(1000, T0));
        assertThat(usage.at("ann", T0)).isEqualTo(1000);
        assertThat(usage.at("ann", T0.plus(GpuUsage.HALF_LIFE))).isEqualTo(500);
        assertThat(usage.at("bob", T0)).isZero();
    }

    @Test
    void anHourOnTwoCardsCountsNearlyTwoHours() {
        var account = GpuUsage.NONE.charged("ann", 2, Duration.ofHours(1), T0);
        assertThat(account.gpuSeconds()).isBetween(7000.0, 7200.0);
        // One long use counts the same as many short ones.
        var usage = GpuUsage.NONE;
        for (int minute = 1; minute <= 60; minute++) {
            var then = T0.minus(Duration.ofMinutes(60 - minute));
            usage = usage.with("ann", usage.charged("ann", 2, Duration.ofMinutes(1), then));
        }
        assertThat(usage.at("ann", T0)).isCloseTo(account.gpuSeconds(), within(0.01));
    }

    private static org.assertj.core.data.Offset<Double> within(double seconds) {
        return org.assertj.core.data.Offset.offset(seconds);
    }

    private static List<Integer> order(QueueOrder order, ToDoubleFunction<String> used) {
        return ids(waiting(order), used);
    }

    private static List<Integer> ids(WaitingTasks waiting, ToDoubleFunction<String> used) {
        return waiting.inOrder(used).map(task -> (int) task.id().value()).toList();
    }

    private static WaitingTasks waiting(QueueOrder order) {
        var waiting = WaitingTasks.none(order);
        for (var task : TASKS) {
            waiting = waiting.with(task);
        }
        return waiting;
    }

    private static Task task(long id, String owner, Need need) {
        var spec = TaskSpec.of("task " + id, "true", need, "/");
        return Task.queued(new TaskId(id), Owner.unix(owner), spec, T0.plusSeconds(id));
    }

    /** Without a time limit if {@code minutes} is 0. */
    private static Task task(long id, String owner, Priority priority, int minutes) {
        var spec = TaskSpec.of("task " + id, "true", Need.gpus(1), "/").with(priority);
        var limited = minutes == 0 ? spec : spec.with(Duration.ofMinutes(minutes));
        return Task.queued(new TaskId(id), Owner.unix(owner), limited, T0.plusSeconds(id));
    }
}
