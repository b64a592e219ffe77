package dev.berth.core.forecast;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.UserLoads;
import dev.berth.core.plan.UserLoads.RunningLoad;
import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.TreeMap;

/** What users run and used as a virtual run goes on. */
final class VirtualLoads {

    private final UserLoads first;
    private final TreeMap<String, HourlyUsage> ended;
    private final TreeMap<AttemptId, RunningLoad> running;

    VirtualLoads(UserLoads first) {
        this.first = first;
        this.ended = new TreeMap<>(first.ended());
        this.running = new TreeMap<>(first.running());
    }

    void start(Task task, AttemptId attempt, int gpuCount, Instant now) {
        var latestEnd = task.spec().options().timeLimit().map(now::plus);
        running.put(attempt, new RunningLoad(task.owner(), gpuCount, now, latestEnd));
    }

    void end(AttemptId attempt, Instant now) {
        var load = running.remove(attempt);
        if (load != null && load.gpuCount() > 0) {
            ended.merge(
                    load.owner().principal(),
                    HourlyUsage.NONE.plus(load.gpuCount(), load.since(), now),
                    (before, _) -> before.plus(load.gpuCount(), load.since(), now));
        }
    }

    UserLoads now() {
        return new UserLoads(first.groups(), ended, running);
    }
}
