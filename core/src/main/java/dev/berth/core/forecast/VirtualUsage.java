package dev.berth.core.forecast;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.GpuUsage.Account;
import dev.berth.core.queue.GpuUsage.RunningUsage;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The GPU time of each principal as a virtual run goes on. */
final class VirtualUsage {

    private final TreeMap<TaskId, RunningUsage> running = new TreeMap<>();
    private final boolean isNeeded;
    private final SortedMap<String, Double> first;
    private GpuUsage ended = GpuUsage.NONE;

    VirtualUsage(Snapshot snapshot, List<RunningTask> tasks) {
        isNeeded = snapshot.waiting().order().dependsOnUsage();
        first = snapshot.usedGpuSeconds();
        if (!isNeeded) {
            return;
        }
        for (var task : tasks) {
            start(
                    task.task().id(),
                    new RunningUsage(
                            task.task().owner().principal(),
                            task.attempt().claims().size(),
                            task.attempt().scheduledAt()));
        }
        // The snapshot includes what runs; here that is counted until each task ends.
        var ofRunning = GpuUsage.NONE.totals(snapshot.at(), List.copyOf(running.values()));
        for (var entry : first.entrySet()) {
            double before = entry.getValue() - ofRunning.getOrDefault(entry.getKey(), 0.0);
            ended = ended.with(entry.getKey(), new Account(Math.max(0, before), snapshot.at()));
        }
    }

    void start(TaskId task, RunningUsage usage) {
        if (isNeeded && usage.gpuCount() > 0) {
            running.put(task, usage);
        }
    }

    void end(TaskId task, Instant at) {
        var usage = running.remove(task);
        if (usage == null) {
            return;
        }
        var time = Duration.between(usage.since(), at);
        var charged = time.compareTo(GpuUsage.MIN_CHARGE) < 0 ? GpuUsage.MIN_CHARGE : time;
        ended =
                ended.with(
                        usage.principal(),
                        ended.charged(usage.principal(), usage.gpuCount(), charged, at));
    }

    SortedMap<String, Double> at(Instant now) {
        return isNeeded ? ended.totals(now, List.copyOf(running.values())) : first;
    }
}
