package dev.berth.core.forecast;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.RunBounds;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The latest ends of tasks in a virtual run, also of those that start in it.
 *
 * @param real those of the moment when the virtual run begins
 */
record VirtualBounds(RunBounds real, SortedMap<AttemptId, Started> started) implements RunBounds {

    record Started(Task task, Instant at) {}

    @Override
    public Optional<Instant> end(AttemptId running) {
        var virtual = started.get(running);
        return virtual == null ? real.end(running) : length(virtual.task()).map(virtual.at()::plus);
    }

    @Override
    public Optional<Duration> length(Task waiting) {
        return real.length(waiting);
    }
}
