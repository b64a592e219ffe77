package dev.berth.core.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;
import dev.berth.core.why.Explanation;
import dev.berth.core.why.Suggestion;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/** Machines whose run times are known: the owner follows a suggestion and waits. */
class FollowedSuggestionPropertyTest {

    private static final int WORLDS = 40;

    private final TreeMap<String, Integer> followed = new TreeMap<>();

    @Test
    void theTaskStartsWhenTheSuggestionSaidAndEarlierThanWithoutIt() {
        for (long seed = 0; seed < WORLDS; seed++) {
            var world = new LiveWorld(seed);
            var tasks = List.copyOf(world.scene.waiting.values());
            var suggestions = new TreeMap<TaskId, List<Suggestion>>();
            var now = Explanation.Planned.of(input(world));
            for (var task : tasks) {
                suggestions.put(
                        task.id(),
                        Explanation.of(now, task, PersistentMap.empty(), Duration.ofDays(1))
                                .suggestions());
            }
            var asItIs = world.live();
            for (var task : tasks) {
                for (var suggestion : suggestions.get(task.id())) {
                    check(seed, task, suggestion, asItIs);
                }
            }
        }
        assertThat(followed.get("now")).isGreaterThan(15);
        assertThat(followed.get("later")).isGreaterThan(50);
    }

    private static ForecastInput input(LiveWorld world) {
        return new ForecastInput(
                new Forecaster(world.planner, Duration.ZERO),
                world.scene.snapshot(),
                world.scene.runningTasks(),
                world.scene.runTimes());
    }

    private void check(
            long seed, Task task, Suggestion suggestion, TreeMap<TaskId, Instant> asItIs) {
        var world = new LiveWorld(seed);
        var at = world.scene.now;
        world.scene.queue(task.with(suggestion.edit().applyTo(task.spec())));
        var start = world.live().get(task.id());
        assertThat(start)
                .as("seed %d, task %s: %s", seed, task.id(), suggestion)
                .isEqualTo(suggestion.expectedStart().orElse(at));
        var without = asItIs.get(task.id());
        if (without != null && !suggestion.startsNow()) {
            assertThat(start).isBefore(without.minusSeconds(59));
        }
        followed.merge(suggestion.startsNow() ? "now" : "later", 1, Integer::sum);
    }
}
