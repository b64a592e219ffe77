package dev.berth.simulator.replay;

import dev.berth.core.forecast.Forecaster;
import dev.berth.core.forecast.RunningTask;
import dev.berth.core.forecast.TimeRange;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Backfill;
import dev.berth.core.plan.BestScorePlacement;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.RunBounds;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.StartConditions;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.simulator.trace.Job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Replays a trace with Berth's planner and forecasts the start of waiting jobs as a person would
 * see it. Run times are learned from the jobs that have ended, as in a home.
 */
final class ForecastReplay {

    private final Planner planner =
            new Planner(SchedulingRules.DEFAULT, new Backfill.Safe(), new BestScorePlacement());
    private final Forecaster forecaster = new Forecaster(planner, Duration.ZERO);
    private final PlannedGpus gpus;
    private final int every;
    private final Map<TaskId, Job> jobs = new HashMap<>();
    private final TreeMap<TaskId, Running> running = new TreeMap<>();
    private final PriorityQueue<Running> ends =
            new PriorityQueue<>(
                    Comparator.comparing(Running::end).thenComparing(one -> one.task().id()));
    private final LearnedTimes learned = new LearnedTimes();
    private final Map<TaskId, TimeRange> promised = new HashMap<>();
    private WaitingTasks waiting = WaitingTasks.none(new FifoOrder());
    private final Result result = new Result();

    private record Running(Task task, List<Claim> claims, Instant since, Instant end) {}

    /** How the forecasts of waiting jobs compare with what happened. */
    static final class Result {
        int asked;
        int known;
        int notLater;
        int notLaterThanExpected;

        double held() {
            return (double) notLater / known;
        }

        @Override
        public String toString() {
            return "waiting jobs asked %d, with a range %d, started by the latest %.1f %%, by the expected %.1f %%"
                    .formatted(
                            asked,
                            known,
                            100 * held(),
                            100.0 * notLaterThanExpected / Math.max(1, known));
        }
    }

    /**
     * @param every one of this number of waiting jobs is forecast
     */
    ForecastReplay(int gpuCount, int every) {
        this.gpus = new PlannedGpus(gpuCount);
        this.every = every;
    }

    Result replay(List<Job> trace) {
        var submits = new ArrayList<>(trace);
        submits.sort(Comparator.comparingLong(Job::submitS).thenComparingInt(Job::row));
        int next = 0;
        long id = 0;
        while (next < submits.size() || !ends.isEmpty()) {
            var now =
                    nextTime(next < submits.size() ? submits.get(next).submitS() : Long.MAX_VALUE);
            while (!ends.isEmpty() && !ends.element().end().isAfter(now)) {
                end(ends.remove());
            }
            var added = new ArrayList<TaskId>();
            while (next < submits.size() && !at(submits.get(next).submitS()).isAfter(now)) {
                var task = task(++id, submits.get(next));
                jobs.put(task.id(), submits.get(next++));
                waiting = waiting.with(task);
                added.add(task.id());
            }
            start(now);
            added.forEach(task -> forecast(task, now));
        }
        return result;
    }

    private Instant nextTime(long submit) {
        var end = ends.isEmpty() ? Instant.MAX : ends.element().end();
        return submit == Long.MAX_VALUE || end.isBefore(at(submit)) ? end : at(submit);
    }

    private static Instant at(long seconds) {
        return Instant.EPOCH.plusSeconds(seconds);
    }

    private Snapshot snapshot(Instant now) {
        return new Snapshot(now, waiting, gpus.fleet(), new TreeMap<>(), StartConditions.NONE)
                .with(new Bounds());
    }

    private void start(Instant now) {
        var plan = planner.plan(snapshot(now));
        gpus.setHolds(plan.fleet().holds());
        for (var start : plan.starts()) {
            var job = jobs.get(start.task());
            var task = task(start.task().value(), job);
            waiting = waiting.without(task);
            var run = new Running(task, start.claims(), now, now.plusSeconds(job.durationS()));
            running.put(task.id(), run);
            ends.add(run);
            var range = promised.remove(task.id());
            if (range != null) {
                result.notLater += now.isAfter(range.latest().orElseThrow()) ? 0 : 1;
                result.notLaterThanExpected += now.isAfter(range.expected()) ? 0 : 1;
            }
        }
    }

    private void end(Running run) {
        running.remove(run.task().id());
        gpus.release(run.claims());
        learned.ended(run.task(), Duration.between(run.since(), run.end()), run.end());
    }

    /** What a person would see who submits the job and asks. */
    private void forecast(TaskId task, Instant now) {
        if (running.containsKey(task) || ++result.asked % every != 0) {
            return;
        }
        var from = snapshot(now);
        forecaster
                .start(task, from, runningTasks(), learned.runTimes())
                .filter(range -> range.latest().isPresent())
                .ifPresent(
                        range -> {
                            result.known++;
                            promised.put(task, range);
                        });
    }

    private List<RunningTask> runningTasks() {
        return running.values().stream()
                .map(
                        run ->
                                new RunningTask(
                                        run.task(),
                                        new Attempt(
                                                new AttemptId(run.task().id(), 1),
                                                "trace",
                                                1,
                                                "boot",
                                                run.claims(),
                                                run.since(),
                                                new Phase.Starting())))
                .toList();
    }

    private final class Bounds implements RunBounds {
        @Override
        public Optional<Instant> end(AttemptId attempt) {
            return Optional.ofNullable(running.get(attempt.task()))
                    .flatMap(run -> length(run.task()).map(run.since()::plus));
        }

        @Override
        public Optional<Duration> length(Task task) {
            return learned.bound(task);
        }
    }

    private static Task task(long id, Job job) {
        var need = Need.gpus(job.need().gpus());
        var spec = TaskSpec.of(job.group(), job.group(), need, "/");
        var owner = Owner.unix(job.user().isEmpty() ? "unknown" : job.user());
        return Task.queued(new TaskId(id), owner, spec, at(job.submitS()));
    }
}
