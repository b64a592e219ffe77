package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.forecast.ForecastInput;
import dev.berth.core.forecast.Forecaster;
import dev.berth.core.id.TaskId;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Task;
import dev.berth.core.why.Explanation;
import dev.berth.core.why.Suggestion;
import dev.berth.core.why.TaskEdit;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;

/** Explanations in random worlds. */
class SuggestionPropertyTest {

    private static final int WORLDS = 250;
    private static final Duration LONGEST = Duration.ofDays(30);

    private final TreeMap<String, Integer> seen = new TreeMap<>();

    @Test
    void everySuggestionGivesWhatItSaysWhenFollowed() {
        everywhere(
                (world, task, explanation) -> {
                    for (var suggestion : explanation.suggestions()) {
                        seen.merge(name(suggestion.edit()), 1, Integer::sum);
                        assertThat(started(world, task, suggestion))
                                .as(suggestion.toString())
                                .isEqualTo(suggestion.startsNow());
                    }
                });
        assertThat(seen.keySet()).anyMatch(name -> name.contains(" and "));
        assertThat(seen.keySet().stream().filter(name -> !name.contains(" ")))
                .containsExactlyInAnyOrder(
                        "AnyDevices",
                        "AnyType",
                        "FewerDevices",
                        "FewerGpus",
                        "HigherPriority",
                        "LessMemory",
                        "Shared",
                        "StatedMemory",
                        "TimeLimit");
    }

    @Test
    void onlyWaitingTasksGetSuggestionsAndNoneTwice() {
        everywhere(
                (_, _, explanation) -> {
                    var suggestions = explanation.suggestions();
                    assertThat(suggestions).hasSizeLessThanOrEqualTo(8);
                    assertThat(suggestions.stream().map(one -> name(one.edit())))
                            .doesNotHaveDuplicates();
                    if (explanation.verdict() instanceof Verdict.Start) {
                        assertThat(suggestions).isEmpty();
                    }
                });
    }

    @Test
    void everyGpuIsRefusedOrFits() {
        everywhere(
                (world, _, explanation) -> {
                    if (explanation.gpus().isEmpty()) {
                        return;
                    }
                    assertThat(explanation.gpus()).hasSize(world.scene.cards.size());
                    if (explanation.verdict() instanceof Verdict.Wait(_, var reasons)) {
                        reasons.forEach(reason -> agrees(reason, explanation));
                    }
                });
    }

    /** The reason counts the same GPUs as the list. */
    private static void agrees(WaitReason reason, Explanation explanation) {
        if (reason instanceof WaitReason.NotEnoughGpus(_, int fitting, _)) {
            assertThat(explanation.gpus().stream().filter(gpu -> gpu.refusal().isEmpty()))
                    .hasSize(fitting);
        }
    }

    @Test
    void aheadAreTheTasksBeforeItInItsQueueAndThoseThatHoldItsGpus() {
        everywhere(
                (world, task, explanation) -> {
                    if (explanation.verdict() instanceof Verdict.Start) {
                        return;
                    }
                    var expected = new HashSet<>(before(world, task));
                    for (var gpu : explanation.gpus()) {
                        if (gpu.refusal().filter(Refusal::isPermanent).isEmpty()) {
                            gpu.view().holds().forEach(hold -> expected.add(hold.attempt().task()));
                            gpu.refusal()
                                    .filter(Refusal.ReservedFor.class::isInstance)
                                    .map(why -> ((Refusal.ReservedFor) why).task())
                                    .ifPresent(expected::add);
                        }
                    }
                    // The holders of this world are no tasks that anybody submitted.
                    expected.removeIf(id -> id.value() >= 100);
                    var ahead = explanation.ahead();
                    assertThat(ahead.first().stream().map(Task::id))
                            .containsExactlyInAnyOrderElementsOf(expected);
                    assertThat(ahead.total()).isEqualTo(expected.size());
                    assertThat(ahead.people())
                            .isEqualTo(
                                    (int)
                                            ahead.first().stream()
                                                    .map(one -> one.owner().principal())
                                                    .distinct()
                                                    .count());
                });
    }

    private static List<TaskId> before(RandomSnapshot world, Task task) {
        return world.scene
                .waiting
                .inOrder(QueueId.of(task), world.scene.snapshot()::usedGpuSeconds)
                .map(Task::id)
                .takeWhile(id -> !id.equals(task.id()))
                .toList();
    }

    private static String name(TaskEdit edit) {
        return edit instanceof TaskEdit.Both(var first, var second)
                ? name(first) + " and " + name(second)
                : edit.getClass().getSimpleName();
    }

    /** Whether the planner starts the edited task, in a queue that is built anew. */
    private static boolean started(RandomSnapshot world, Task task, Suggestion suggestion) {
        var waiting = WaitingTasks.none(world.scene.waiting.order());
        for (var one : world.scene.waiting.all().toList()) {
            waiting =
                    waiting.with(
                            one.id().equals(task.id())
                                    ? one.with(suggestion.edit().applyTo(one.spec()))
                                    : one);
        }
        return world.planner.plan(world.scene.snapshot().with(waiting)).starts().stream()
                .anyMatch(start -> start.task().equals(task.id()));
    }

    private interface Property {
        void check(RandomSnapshot world, Task task, Explanation explanation);
    }

    private static void everywhere(Property property) {
        for (long seed = 0; seed < WORLDS; seed++) {
            var world = new RandomSnapshot(seed);
            var now =
                    Explanation.Planned.of(
                            new ForecastInput(
                                    new Forecaster(world.planner, Duration.ZERO),
                                    world.scene.snapshot(),
                                    List.of(),
                                    RunTimes.NONE));
            var tasks = PersistentMap.<TaskId, Task>empty();
            for (var task : world.scene.waiting.all().toList()) {
                tasks = tasks.with(task.id(), task);
            }
            for (var task : tasks.values().toList()) {
                try {
                    property.check(world, task, Explanation.of(now, task, tasks, LONGEST));
                } catch (AssertionError | RuntimeException broken) {
                    throw new AssertionError(
                            "task " + task.id() + " in the world of seed " + seed, broken);
                }
            }
        }
    }
}
