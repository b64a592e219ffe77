package dev.berth.engine;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.UserLoads;
import dev.berth.core.plan.UserLoads.RunningLoad;
import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;

import java.util.TreeMap;

/** What users run and used, by the state of the engine. */
final class EngineLoads {

    private EngineLoads() {}

    static UserLoads of(EngineState state) {
        var ended = new TreeMap<String, HourlyUsage>();
        for (var account : state.durable().usage().accounts()) {
            if (!account.getValue().hours().byHour().isEmpty()) {
                ended.put(account.getKey(), account.getValue().hours());
            }
        }
        var running = new TreeMap<AttemptId, RunningLoad>();
        for (var entry : state.attempts()) {
            var attempt = entry.getValue();
            if (!attempt.isWorker()) {
                state.tasks()
                        .get(entry.getKey().task())
                        .ifPresent(task -> running.put(entry.getKey(), load(task, attempt)));
            }
        }
        return new UserLoads(state.durable().groups(), ended, running);
    }

    private static RunningLoad load(Task task, Attempt attempt) {
        // The time limit counts from the start of the process.
        var start =
                attempt.phase()
                        .shimProcess()
                        .map(ShimProcess::startedAt)
                        .orElse(attempt.scheduledAt());
        return new RunningLoad(
                task.owner(),
                attempt.claims().size(),
                attempt.scheduledAt(),
                task.spec().options().timeLimit().map(start::plus));
    }
}
