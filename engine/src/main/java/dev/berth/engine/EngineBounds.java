package dev.berth.engine;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.RunBounds;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The latest ends of the tasks in a state, by their time limits and earlier runs. */
record EngineBounds(EngineState state) implements RunBounds {

    @Override
    public Optional<Instant> end(AttemptId running) {
        var task = state.tasks().get(running.task());
        return state.attempts()
                .get(running)
                .map(EngineBounds::startedAt)
                .flatMap(start -> task.flatMap(this::length).map(start::plus));
    }

    /** The time limit counts from the start of the process. */
    private static Instant startedAt(Attempt attempt) {
        return attempt.phase()
                .shimProcess()
                .map(ShimProcess::startedAt)
                .orElse(attempt.scheduledAt());
    }

    @Override
    public Optional<Duration> length(Task waiting) {
        return state.sinceStart().learned().bound(waiting);
    }
}
