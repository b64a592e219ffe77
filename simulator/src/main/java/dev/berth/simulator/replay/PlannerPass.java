package dev.berth.simulator.replay;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.BestScorePlacement;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.RunBounds;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.StartConditions;
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
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Berth's own planner. It does not know how long a job will run, unless the jobs have time limits:
 * it learns from the jobs that have ended.
 */
final class PlannerPass implements SchedulingPass {

    private final Machine<?> machine;
    private final Planner planner;
    private final boolean hasTimeLimits;
    private final PlannedGpus gpus;
    private final Map<TaskId, Waiting> waitingJobs = new HashMap<>();
    private final Map<TaskId, Running> runningTasks = new HashMap<>();

    /** The number of waiting jobs by the number of GPUs they need. */
    private final TreeMap<Integer, Integer> waitingByGpus = new TreeMap<>();

    private final Map<Job, TaskId> running = new HashMap<>();
    private final LearnedTimes learned = new LearnedTimes();

    /** Equal jobs share one specification. */
    private final Map<JobKind, TaskSpec> specs = new HashMap<>();

    private final RunBounds bounds = new Bounds();
    private WaitingTasks waiting;
    private GpuUsage usage = GpuUsage.NONE;
    private long lastId;

    private record JobKind(String user, String group, int gpus) {}

    private record Waiting(Job job, Task task) {}

    private record Running(Task task, List<Claim> claims, Instant since) {}

    /** The latest ends, as the engine of Berth calculates them. */
    private final class Bounds implements RunBounds {
        @Override
        public Optional<Instant> end(AttemptId attempt) {
            return Optional.ofNullable(runningTasks.get(attempt.task()))
                    .flatMap(one -> length(one.task()).map(one.since()::plus));
        }

        @Override
        public Optional<Duration> length(Task task) {
            return learned.bound(task);
        }
    }

    PlannerPass(Machine<?> machine, PolicyChoice choice) {
        this.machine = machine;
        this.planner =
                new Planner(SchedulingRules.DEFAULT, choice.backfill(), new BestScorePlacement());
        this.hasTimeLimits = choice.hasTimeLimits();
        this.gpus = new PlannedGpus(machine.pool().gpus());
        this.waiting = WaitingTasks.none(choice.order());
    }

    @Override
    public void submitted(Job job) {
        // Ids rise with the order of submission, as in a home.
        var id = new TaskId(++lastId);
        var task = Task.queued(id, owner(job), spec(job), instant(job.submitS()));
        waitingJobs.put(id, new Waiting(job, task));
        waiting = waiting.with(task);
        waitingByGpus.merge(job.need().gpus(), 1, Integer::sum);
    }

    @Override
    public void ended(Job job, long nowS) {
        var ended = Optional.ofNullable(running.remove(job)).map(runningTasks::remove);
        ended.ifPresent(
                one -> {
                    gpus.release(one.claims());
                    charge(one, instant(nowS));
                    if (!hasTimeLimits) {
                        var length = Duration.ofSeconds(job.durationS());
                        learned.ended(one.task(), length, instant(nowS));
                    }
                });
        waiting = waiting.with(learned.runTimes());
    }

    @Override
    public void run(long nowS) {
        if (waitingByGpus.isEmpty() || waitingByGpus.firstKey() > gpus.free()) {
            // The planner would find the same, but look at all GPUs for it.
            return;
        }
        var now = instant(nowS);
        waiting = waiting.at(now);
        var snapshot = new Snapshot(now, waiting, gpus.fleet(), used(now), StartConditions.NONE);
        var plan = planner.plan(snapshot.with(bounds));
        gpus.setHolds(plan.fleet().holds());
        plan.starts().forEach(start -> start(start, nowS));
    }

    private void start(Verdict.Start start, long nowS) {
        var started = Objects.requireNonNull(waitingJobs.remove(start.task()));
        waiting = waiting.without(started.task());
        waitingByGpus.computeIfPresent(
                started.job().need().gpus(), (_, count) -> count == 1 ? null : count - 1);
        running.put(started.job(), start.task());
        runningTasks.put(start.task(), new Running(started.task(), start.claims(), instant(nowS)));
        machine.start(started.job(), nowS);
        learned.check(started.task(), Duration.ofSeconds(started.job().durationS()));
    }

    @Override
    public Optional<Predictions> predictions() {
        return Optional.of(learned.predictions());
    }

    private void charge(Running ended, Instant now) {
        var time = Duration.between(ended.since(), now);
        var counted = time.compareTo(GpuUsage.MIN_CHARGE) < 0 ? GpuUsage.MIN_CHARGE : time;
        var principal = ended.task().owner().principal();
        usage =
                usage.with(
                        principal, usage.charged(principal, ended.claims().size(), counted, now));
    }

    private SortedMap<String, Double> used(Instant now) {
        if (!waiting.order().dependsOnUsage()) {
            return new TreeMap<>();
        }
        return usage.totals(now, runningTasks.values().stream().map(PlannerPass::usage).toList());
    }

    private static RunningUsage usage(Running one) {
        return new RunningUsage(one.task().owner().principal(), one.claims().size(), one.since());
    }

    private static Owner owner(Job job) {
        return Owner.unix(job.user().isEmpty() ? "unknown" : job.user());
    }

    private TaskSpec spec(Job job) {
        var kind = new JobKind(job.user(), job.group(), job.need().gpus());
        var spec = specs.computeIfAbsent(kind, PlannerPass::spec);
        return hasTimeLimits ? spec.with(Duration.ofSeconds(job.durationS())) : spec;
    }

    private static TaskSpec spec(JobKind kind) {
        var need = kind.gpus() == 0 ? Need.CPU : Need.gpus(kind.gpus());
        return TaskSpec.of(kind.group(), kind.group(), need, "/");
    }

    private static Instant instant(long seconds) {
        return Instant.EPOCH.plusSeconds(seconds);
    }
}
