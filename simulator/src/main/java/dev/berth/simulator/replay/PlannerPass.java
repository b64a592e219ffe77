package dev.berth.simulator.replay;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.BestScorePlacement;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.GpuUsage.RunningUsage;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.simulator.trace.Job;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Berth's own planner. It does not know how long a job will run: it learns from the jobs that have
 * ended.
 */
final class PlannerPass implements SchedulingPass {

    private final Machine<?> machine;
    private final Planner planner;
    private final PlannedGpus gpus;
    private final Map<TaskId, Job> jobs = new HashMap<>();
    private final Map<Job, Started> running = new HashMap<>();
    private WaitingTasks waiting;
    private GpuUsage usage = GpuUsage.NONE;
    private long lastId;

    private record Started(Task task, List<Claim> claims, Instant at) {}

    PlannerPass(Machine<?> machine, PolicyChoice choice) {
        this.machine = machine;
        this.planner =
                new Planner(SchedulingRules.DEFAULT, choice.backfill(), new BestScorePlacement());
        this.gpus = new PlannedGpus(machine.pool().gpus());
        this.waiting = WaitingTasks.none(choice.order());
    }

    @Override
    public void submitted(Job job) {
        // Ids rise with the order of submission, as in a home.
        var id = new TaskId(++lastId);
        jobs.put(id, job);
        waiting = waiting.with(Task.queued(id, owner(job), spec(job), instant(job.submitS())));
    }

    @Override
    public void ended(Job job, long nowS) {
        var started = running.remove(job);
        gpus.release(started.claims());
        charge(started, instant(nowS));
    }

    @Override
    public void run(long nowS) {
        var now = instant(nowS);
        var plan =
                planner.plan(
                        new Snapshot(now, waiting, gpus.fleet(), used(now), 0, Optional.empty()));
        gpus.setHolds(plan.fleet().holds());
        plan.starts().forEach(start -> start(start, nowS));
    }

    private void start(Verdict.Start start, long nowS) {
        var job = jobs.remove(start.task());
        var task = Task.queued(start.task(), owner(job), spec(job), instant(job.submitS()));
        waiting = waiting.without(task);
        running.put(job, new Started(task, start.claims(), instant(nowS)));
        machine.start(job, nowS);
    }

    private void charge(Started started, Instant now) {
        int gpuCount = started.claims().size();
        var time = Duration.between(started.at(), now);
        var counted = time.compareTo(GpuUsage.MIN_CHARGE) < 0 ? GpuUsage.MIN_CHARGE : time;
        var principal = started.task().owner().principal();
        usage = usage.with(principal, usage.charged(principal, gpuCount, counted, now));
    }

    private SortedMap<String, Double> used(Instant now) {
        if (!waiting.order().dependsOnUsage()) {
            return new TreeMap<>();
        }
        return usage.totals(
                now,
                running.values().stream()
                        .map(
                                one ->
                                        new RunningUsage(
                                                one.task().owner().principal(),
                                                one.claims().size(),
                                                one.at()))
                        .toList());
    }

    private static Owner owner(Job job) {
        return Owner.unix(job.user().isEmpty() ? "unknown" : job.user());
    }

    private static TaskSpec spec(Job job) {
        int count = job.need().gpus();
        return TaskSpec.of(job.group(), job.group(), count == 0 ? Need.CPU : Need.gpus(count), "/");
    }

    private static Instant instant(long seconds) {
        return Instant.EPOCH.plusSeconds(seconds);
    }
}
