package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.forecast.ForecastInput;
import dev.berth.core.forecast.Forecaster;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.ShortestFirstOrder;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.why.Explanation;
import dev.berth.core.why.Suggestion;
import dev.berth.core.why.TaskEdit;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is suggested to the owner of a waiting task. */
class SuggestionsTest {

    private static final long GB = 1024;

    private SnapshotBuilder scene = new SnapshotBuilder();

    private List<TaskEdit> edits(Task task) {
        return explain(task, Duration.ofDays(30)).suggestions().stream()
                .map(Suggestion::edit)
                .toList();
    }

    private Explanation explain(Task task, Duration longestLimit) {
        var now =
                Explanation.Planned.of(
                        new ForecastInput(
                                new Forecaster(new Planner(SchedulingRules.DEFAULT), Duration.ZERO),
                                scene.snapshot(),
                                List.of(),
                                RunTimes.NONE));
        return Explanation.of(now, task, PersistentMap.<TaskId, Task>empty(), longestLimit);
    }

    private void card(int index, String model, long totalMib, long freeMib) {
        scene.card(new Gpu(SnapshotBuilder.id(index), index, model, totalMib), freeMib, 0, 40);
    }

    private static Need.Gpus gpus(int min, int max, Optional<String> type, Need.GpuMemory memory) {
        return new Need.Gpus(new Need.GpuCount(min, max), type, memory);
    }

    private static Need.Gpus on(Need.GpuMemory memory, int... indices) {
        return Need.Gpus.on(GpuIndices.of(indices), Optional.empty(), memory);
    }

    @Test
    void asManyGpusAsAreFree() {
        for (int index = 0; index < 4; index++) {
            card(index, "A", 8 * GB, 8 * GB);
        }
        scene.hold(0, 100);
        var task = scene.queue(1, Need.gpus(4));
        assertThat(edits(task)).containsExactly(new TaskEdit.FewerGpus(Need.GpuCount.of(3)));
    }

    @Test
    void aRangeKeepsItsMaximum() {
        card(0, "A", 8 * GB, 8 * GB);
        card(1, "A", 8 * GB, 8 * GB);
        scene.hold(0, 100);
        var task = scene.queue(1, gpus(2, 4, Optional.empty(), Need.GpuMemory.UNSTATED));
        assertThat(edits(task)).contains(new TaskEdit.FewerGpus(new Need.GpuCount(1, 4)));
    }

    @Test
    void anyTypeIfOnlyOthersAreFree() {
        card(0, "A", 8 * GB, 8 * GB);
        card(1, "B", 8 * GB, 8 * GB);
        scene.hold(0, 100);
        var task = scene.queue(1, gpus(1, 1, Optional.of("A"), Need.GpuMemory.UNSTATED));
        assertThat(edits(task)).containsExactly(new TaskEdit.AnyType());
    }

    @Test
    void twoChangesIfNoneAloneHelps() {
        card(0, "A", 8 * GB, 8 * GB);
        card(1, "A", 8 * GB, 8 * GB);
        for (int index = 2; index < 5; index++) {
            card(index, "B", 8 * GB, 8 * GB);
        }
        scene.hold(0, 100);
        scene.hold(1, 100);
        scene.hold(2, 100);
        var task = scene.queue(1, gpus(4, 4, Optional.of("A"), Need.GpuMemory.UNSTATED));
        assertThat(edits(task))
                .as("no more GPUs are given up than necessary")
                .containsExactly(
                        new TaskEdit.Both(
                                new TaskEdit.AnyType(),
                                new TaskEdit.FewerGpus(Need.GpuCount.of(2))));
    }

    @Test
    void lessMemoryOnGpusOfAnotherType() {
        card(0, "A", 24 * GB, 24 * GB);
        card(1, "B", 24 * GB, 10 * GB);
        scene.hold(0, 100);
        var task = scene.queue(1, gpus(1, 1, Optional.of("A"), Need.GpuMemory.of(20 * GB)));
        assertThat(edits(task))
                .containsExactly(
                        new TaskEdit.Both(
                                new TaskEdit.AnyType(), new TaskEdit.LessMemory(10 * GB)));
    }

    @Test
    void otherGpusThanTheNamedOrOnlyThoseThatAreFree() {
        for (int index = 0; index < 3; index++) {
            card(index, "A", 8 * GB, 8 * GB);
        }
        scene.hold(0, 100);
        var task = scene.queue(1, on(Need.GpuMemory.UNSTATED, 0, 1));
        assertThat(edits(task))
                .containsExactly(
                        new TaskEdit.FewerDevices(GpuIndices.of(1)), new TaskEdit.AnyDevices(2));
    }

    @Test
    void theMostMemoryThatIsLeftInStepsOfHalfAGb() {
        card(0, "A", 24 * GB, 10 * GB + 700);
        card(1, "A", 24 * GB, 3 * GB);
        var task = scene.queue(1, gpus(1, 1, Optional.empty(), Need.GpuMemory.of(20 * GB)));
        assertThat(edits(task)).containsExactly(new TaskEdit.LessMemory(10 * GB + 512));
        scene = new SnapshotBuilder();
        card(0, "A", 24 * GB, 10 * GB + 700);
        card(1, "A", 24 * GB, 3 * GB);
        var two = scene.queue(2, gpus(2, 2, Optional.empty(), Need.GpuMemory.of(8 * GB)));
        assertThat(edits(two))
                .containsExactly(
                        new TaskEdit.FewerGpus(Need.GpuCount.of(1)),
                        new TaskEdit.LessMemory(3 * GB));
    }

    @Test
    void lessThanAProgramNeedsIsNotSuggested() {
        card(0, "A", 24 * GB, 1000);
        var task = scene.queue(1, gpus(1, 1, Optional.empty(), Need.GpuMemory.of(20 * GB)));
        assertThat(edits(task)).isEmpty();
    }

    @Test
    void withoutStatedMemoryAPartlyUsedGpuNeedsAStatement() {
        card(0, "A", 24 * GB, 12 * GB);
        assertThat(edits(scene.queue(1, Need.gpus(1))))
                .containsExactly(new TaskEdit.StatedMemory(12 * GB));
    }

    @Test
    void sharingIfTheHolderShares() {
        card(0, "A", 24 * GB, 24 * GB);
        scene.hold(0, 100, 8 * GB, false);
        var task = scene.queue(1, gpus(1, 1, Optional.empty(), Need.GpuMemory.of(8 * GB)));
        assertThat(edits(task)).containsExactly(new TaskEdit.Shared());
    }

    @Test
    void theTasksOfCommandFilesDoNotShare() {
        card(0, "A", 24 * GB, 24 * GB);
        card(1, "A", 24 * GB, 24 * GB);
        scene.hold(0, 100, 8 * GB, false);
        scene.hold(1, 101, 8 * GB, false);
        var lane = new Lane.OfFileRun(1, 1, false);
        var task = scene.lane(1, lane, Need.GpuCount.of(1), 8 * GB);
        assertThat(edits(task)).isEmpty();
    }

    @Test
    void theLowestPriorityThatPassesTheHead() {
        card(0, "A", 8 * GB, 8 * GB);
        scene.queue(1, Priority.NORMAL, Need.gpus(1));
        var task = scene.queue(2, Priority.LOW, Need.gpus(1));
        assertThat(edits(task)).containsExactly(new TaskEdit.HigherPriority(Priority.HIGH));
    }

    @Test
    void aShorterLimitIfShorterTasksGoFirst() {
        var task = shortestFirst();
        assertThat(edits(task)).contains(new TaskEdit.TimeLimit(Duration.ofMinutes(30)));
        assertThat(explain(task, Duration.ofMinutes(15)).suggestions())
                .extracting(Suggestion::edit)
                .as("no limit that a request may not state")
                .contains(new TaskEdit.TimeLimit(Duration.ofMinutes(15)));
    }

    private Task shortestFirst() {
        QueueOrder order = new ShortestFirstOrder();
        scene = new SnapshotBuilder(order);
        card(0, "A", 8 * GB, 8 * GB);
        scene.queue(1, "ann", spec().with(Duration.ofHours(1)));
        return scene.queue(2, "bob", spec());
    }

    private static TaskSpec spec() {
        return TaskSpec.of("task", "true", Need.gpus(1), "/");
    }

    @Test
    void nothingHelpsWhileSchedulingIsPausedOrTheRetryIsDelayed() {
        card(0, "A", 8 * GB, 8 * GB);
        var delayed =
                SnapshotBuilder.task(1, "ann", TaskSpec.of("task", "true", Need.gpus(2), "/"))
                        .withNotBefore(Optional.of(Instant.MAX));
        scene.waiting = scene.waiting.with(delayed);
        assertThat(edits(delayed)).isEmpty();
        var task = scene.queue(2, Need.gpus(2));
        assertThat(edits(task)).isNotEmpty();
        scene.pause =
                Optional.of(new WaitReason.Paused(WaitReason.Paused.PauseCause.STOPPED, "by hand"));
        assertThat(edits(task)).isEmpty();
    }
}
