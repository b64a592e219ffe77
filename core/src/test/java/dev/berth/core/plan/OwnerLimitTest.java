package dev.berth.core.plan;

import static dev.berth.core.plan.SnapshotBuilder.NOW;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.forecast.Forecaster;
import dev.berth.core.id.TaskId;
import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Four idle GPUs. */
class OwnerLimitTest {

    private static final Need ONE = Need.gpus(1);
    private static final Need TWO = Need.gpus(2);

    private final SnapshotBuilder scene = new SnapshotBuilder();
    private LimitRules limits = LimitRules.NONE;
    private Backfill backfill = new Backfill.Safe();

    @BeforeEach
    void fourGpus() {
        for (int gpu = 0; gpu < 4; gpu++) {
            scene.card(gpu, "A", 0);
        }
    }

    private Planner planner() {
        return new Planner(
                SchedulingRules.DEFAULT.with(limits), backfill, new BestScorePlacement());
    }

    private List<Long> starts() {
        return planner().plan(scene.snapshot()).starts().stream()
                .map(start -> start.task().value())
                .toList();
    }

    private Task queue(long id, String owner, Need need) {
        return scene.queue(id, owner, TaskSpec.of("task " + id, "true", need, "/"));
    }

    private List<WaitReason> why(Task task) {
        return ((Verdict.Wait) planner().explain(scene.snapshot(), task)).reasons();
    }

    private static SortedMap<LimitKey, Double> values(LimitKey key, double value) {
        return new TreeMap<>(Map.of(key, value));
    }

    private void limitAnn(LimitKey key, double value) {
        limits =
                new LimitRules(
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of("ann", values(key, value))));
    }

    @Test
    void ownValueThenBestGroupThenDefault() {
        var ann = Owner.unix("ann");
        var rules =
                new LimitRules(
                        values(LimitKey.MAX_GPUS, 1),
                        new TreeMap<>(
                                Map.of(
                                        "vision", values(LimitKey.MAX_GPUS, 2),
                                        "big", values(LimitKey.MAX_GPUS, 8),
                                        "other", values(LimitKey.MAX_GPUS, 100))),
                        new TreeMap<>(Map.of("bob", values(LimitKey.MAX_GPUS, 3))));
        var groups = new TreeSet<>(List.of("vision", "big"));
        var found = rules.find(LimitKey.MAX_GPUS, ann, groups).orElseThrow();
        assertThat(found.count()).isEqualTo(8);
        assertThat(found.source().apiName()).isEqualTo("group:big");
        var own = rules.find(LimitKey.MAX_GPUS, Owner.unix("bob"), groups).orElseThrow();
        assertThat(own.count()).isEqualTo(3);
        assertThat(own.source().apiName()).isEqualTo("user");
        var usual = rules.find(LimitKey.MAX_GPUS, ann, new TreeSet<>()).orElseThrow();
        assertThat(usual.count()).isEqualTo(1);
        assertThat(usual.source().apiName()).isEqualTo("default");
        assertThat(rules.find(LimitKey.MAX_RUNNING, ann, groups)).isEmpty();
        assertThat(new Limit(LimitKey.MAX_PRIORITY, Limit.ofPriority(Priority.HIGH), own.source()))
                .extracting(Limit::priority)
                .isEqualTo(Priority.HIGH);
    }

    @Test
    void tasksAboveMaxGpusWaitWithTheirReasonAndBlockNobody() {
        limitAnn(LimitKey.MAX_GPUS, 2);
        for (long id = 1; id <= 4; id++) {
            queue(id, "ann", ONE);
        }
        var large = queue(5, "ann", TWO);
        queue(6, "bob", ONE);
        for (var each : List.of(new Backfill.Safe(), new Backfill.Off(), new Backfill.Greedy())) {
            backfill = each;
            assertThat(starts()).as(each.configName()).containsExactly(1L, 2L, 6L);
        }
        assertThat(planner().plan(scene.snapshot()).promise()).isEmpty();
        assertThat(why(large).getFirst())
                .isInstanceOfSatisfying(
                        WaitReason.LimitReached.class,
                        reason -> {
                            assertThat(reason.limit().key()).isEqualTo(LimitKey.MAX_GPUS);
                            assertThat(reason.inUse()).isEqualTo(2);
                            assertThat(reason.needed()).isEqualTo(2);
                        });
    }

    @Test
    void runningTasksCount() {
        limitAnn(LimitKey.MAX_RUNNING, 2);
        scene.hold(0, 90, "ann", Optional.empty());
        queue(1, "ann", ONE);
        var second = queue(2, "ann", Need.CPU);
        queue(3, "bob", Need.CPU);
        assertThat(starts()).containsExactlyInAnyOrder(1L, 3L);
        assertThat(why(second).getFirst())
                .isInstanceOfSatisfying(
                        WaitReason.LimitReached.class,
                        reason -> assertThat(reason.inUse()).isEqualTo(2));
    }

    @Test
    void aRangeTakesOnlyWhatIsLeft() {
        limitAnn(LimitKey.MAX_GPUS, 3);
        queue(
                1,
                "ann",
                new Need.Gpus(new Need.GpuCount(2, 4), Optional.empty(), Need.GpuMemory.UNSTATED));
        var start = planner().plan(scene.snapshot()).starts().getFirst();
        assertThat(start.claims()).hasSize(3);
    }

    @Test
    void aGroupsLimitCountsEachUserAlone() {
        limits =
                new LimitRules(
                        new TreeMap<>(),
                        new TreeMap<>(Map.of("vision", values(LimitKey.MAX_GPUS, 1))),
                        new TreeMap<>());
        scene.groups =
                UserGroups.NONE
                        .with("unix:ann", new TreeSet<>(List.of("vision")))
                        .with("unix:bob", new TreeSet<>(List.of("vision")));
        queue(1, "ann", ONE);
        queue(2, "ann", ONE);
        queue(3, "bob", ONE);
        queue(4, "bob", ONE);
        queue(5, "cid", ONE);
        queue(6, "cid", ONE);
        assertThat(starts()).containsExactly(1L, 3L, 5L, 6L);
    }

    @Test
    void overBudgetATaskWaitsOnlyWhileOthersWait() {
        limitAnn(LimitKey.GPU_HOURS_PER_DAY, 10);
        scene.ended.put("unix:ann", HourlyUsage.NONE.plus(2, NOW.minus(Duration.ofHours(5)), NOW));
        var task = queue(1, "ann", ONE);
        assertThat(starts()).as("nobody else waits").containsExactly(1L);
        queue(2, "bob", ONE);
        assertThat(starts()).as("the other one goes first").containsExactly(2L, 1L);
        queue(3, "bob", Need.gpus(4));
        assertThat(starts()).as("the other one waits for GPUs").containsExactly(2L);
        assertThat(why(task).getFirst())
                .isInstanceOfSatisfying(
                        WaitReason.OverBudget.class,
                        reason -> {
                            assertThat(reason.usedHours()).isEqualTo(10);
                            assertThat(reason.waiting()).isEqualTo(new TaskId(3));
                        });
        queue(4, "ann", Need.CPU);
        assertThat(starts()).as("a task without a GPU uses no budget").contains(4L);
        limitAnn(LimitKey.GPU_HOURS_PER_DAY, 10.1);
        assertThat(starts()).contains(1L);
    }

    @Test
    void onlyTheLastDayCounts() {
        var usage = HourlyUsage.NONE.plus(1, NOW, NOW.plus(Duration.ofHours(3)));
        var end = NOW.plus(Duration.ofHours(3));
        assertThat(usage.lastDay(end) / 3600).isEqualTo(3);
        assertThat(usage.lastDay(NOW.plus(Duration.ofHours(25))) / 3600).isEqualTo(2);
        assertThat(usage.lastDay(NOW.plus(Duration.ofMinutes(24 * 60 + 30))) / 3600).isEqualTo(2.5);
        assertThat(usage.lastDay(end.plus(Duration.ofHours(24)))).isZero();
        assertThat(usage.plus(1, end, end.plus(Duration.ofDays(3))).byHour()).hasSizeLessThan(28);
    }

    @Test
    void aManualStartKeepsTheLimitsUnlessItIsForced() {
        limitAnn(LimitKey.MAX_RUNNING, 1);
        scene.hold(0, 90, "ann", Optional.empty());
        var draft = SnapshotBuilder.task(1, "ann", TaskSpec.of("one", "true", ONE, "/"));
        assertThat(planner().planManualStart(scene.snapshot(), draft, false))
                .isInstanceOf(Verdict.Wait.class);
        assertThat(planner().planManualStart(scene.snapshot(), draft, true))
                .isInstanceOf(Verdict.Start.class);
    }

    @Test
    void theForecastKeepsTheLimits() {
        limitAnn(LimitKey.MAX_RUNNING, 1);
        var hour = Duration.ofHours(1);
        for (long id = 1; id <= 3; id++) {
            var spec = TaskSpec.of("task " + id, "true", ONE, "/").with(hour);
            scene.queue(id, "ann", spec);
        }
        var forecast =
                new Forecaster(planner(), Duration.ZERO)
                        .forecast(scene.snapshot(), List.of(), (_, _) -> Optional.empty());
        assertThat(forecast.start(new TaskId(1)).orElseThrow().expected()).isEqualTo(NOW);
        assertThat(forecast.start(new TaskId(2)).orElseThrow().expected())
                .isEqualTo(NOW.plus(hour));
        assertThat(forecast.start(new TaskId(3)).orElseThrow().expected())
                .isEqualTo(NOW.plus(hour.multipliedBy(2)));
    }
}
