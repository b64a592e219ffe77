package dev.berth.core.forecast;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Plan;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.PromisedStart;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.StartConditions;
import dev.berth.core.plan.Verdict;
import dev.berth.core.queue.GpuUsage.RunningUsage;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The planner run forward in virtual time: at each end of a task one scheduling pass, until all
 * tasks have started. A task of unknown length keeps its GPUs to the end of the run.
 */
final class VirtualRun {

    /** How long processes that are ending stay on their GPU. */
    private static final Duration SETTLE_TIME = Duration.ofSeconds(2);

    private static final Duration BUDGET_CHECK = Duration.ofHours(1);

    /** A start that is further away is not worth the computation. */
    private static final Duration HORIZON = Duration.ofDays(90);

    /** Bounds the time of a run: the sum of the groups and GPUs of its passes. */
    private static final long MAX_WORK = 3_000_000;

    private final Planner planner;
    private final Snapshot from;
    private final RunLengths lengths;
    private final Duration runSpacing;
    private final VirtualGpus gpus;
    private final VirtualUsage usage;
    private final VirtualLoads loads;
    private final TreeMap<TaskId, Task> tasks = new TreeMap<>();
    private final TreeMap<TaskId, Instant> ends = new TreeMap<>();
    private final TreeMap<TaskId, Span> spans = new TreeMap<>();
    private final TreeMap<AttemptId, VirtualBounds.Started> started = new TreeMap<>();
    private final PriorityQueue<End> next =
            new PriorityQueue<>(Comparator.comparing(End::at).thenComparing(End::attempt));

    /** File runs that started a task, and when they may start another one. */
    private final TreeMap<Long, Instant> spacing = new TreeMap<>();

    private Optional<PromisedStart> promise = Optional.empty();
    private Optional<Instant> settled = Optional.empty();

    /** When the use of the last day is looked at again, while a budget makes tasks wait. */
    private Optional<Instant> budgetCheck = Optional.empty();

    private WaitingTasks waiting;
    private int cpuTasks;
    private Instant now;
    private long work;

    private record End(Instant at, Task task, AttemptId attempt, List<Claim> claims) {}

    /** When and where a task runs. */
    record Span(Instant start, Optional<Instant> end, List<GpuId> gpus) {}

    /**
     * @param runSpacing between two starts of one file run
     */
    VirtualRun(
            Planner planner,
            Snapshot from,
            List<RunningTask> running,
            RunLengths lengths,
            Duration runSpacing) {
        this.planner = planner;
        this.from = from;
        this.lengths = lengths;
        this.runSpacing = runSpacing;
        this.gpus = new VirtualGpus(from.fleet());
        this.usage = new VirtualUsage(from, running);
        this.loads = new VirtualLoads(from.loads());
        this.waiting = from.waiting();
        this.cpuTasks = from.starts().cpuTasks();
        this.now = from.at();
        waiting.all().forEach(task -> tasks.put(task.id(), task));
        from.starts().startingRuns().forEach(run -> spacing.put(run, now.plus(runSpacing)));
        running.forEach(this::add);
        if (gpus.isSettling()) {
            settled = Optional.of(now.plus(SETTLE_TIME));
        }
    }

    private void add(RunningTask running) {
        lengths.end(running, now)
                .ifPresent(
                        end -> {
                            var attempt = running.attempt();
                            ends.put(running.task().id(), end);
                            next.add(new End(end, running.task(), attempt.id(), attempt.claims()));
                        });
    }

    /** The waiting tasks that start. */
    TreeMap<TaskId, Span> spans() {
        return spans;
    }

    /** The ends of the tasks that run at the beginning, as far as they are known. */
    TreeMap<TaskId, Instant> ends() {
        return ends;
    }

    /** The promise to the first waiting head now. */
    Optional<PromisedStart> promise() {
        return promise;
    }

    VirtualRun run() {
        run(() -> spans.size() == tasks.size(), from.at().plus(HORIZON), MAX_WORK);
        return this;
    }

    /** When this task starts; the rest of the run is left out. */
    Optional<Instant> runUntilStart(TaskId task) {
        return runUntilStart(task, from.at().plus(HORIZON), MAX_WORK);
    }

    /** Empty if it starts later than this, or if it costs more than this to find out. */
    Optional<Instant> runUntilStart(TaskId task, Instant last, long maxWork) {
        if (tasks.containsKey(task)) {
            run(() -> spans.containsKey(task), last, maxWork);
        }
        return Optional.ofNullable(spans.get(task)).map(Span::start);
    }

    /** The cost so far. */
    long work() {
        return work;
    }

    private void run(BooleanSupplier isDone, Instant last, long maxWork) {
        if (from.starts().pause().isPresent()) {
            return;
        }
        promise = pass().promise();
        var then = nextTime();
        while (then.isPresent()
                && !then.get().isAfter(last)
                && work < maxWork
                && !isDone.getAsBoolean()) {
            now = then.get();
            reach();
            pass();
            then = nextTime();
        }
    }

    /** When the next pass may start a task. */
    private Optional<Instant> nextTime() {
        return Stream.of(
                        Optional.ofNullable(next.peek()).map(End::at),
                        waiting.delayed().first().map(first -> first.getKey().until()),
                        spacing.values().stream().min(Comparator.naturalOrder()),
                        settled,
                        nextReservation(),
                        budgetCheck)
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(then -> then.isBefore(now) ? now : then);
    }

    /** When a reservation begins or ends next. */
    private Optional<Instant> nextReservation() {
        return from.reservations().isEmpty()
                ? Optional.empty()
                : from.reservations()
                        .values()
                        .flatMap(one -> one.windowAt(now).stream())
                        .map(ReservationWindow::span)
                        .map(span -> span.contains(now) ? span.end() : span.begin())
                        .min(Comparator.naturalOrder());
    }

    /** What happens by now. */
    private void reach() {
        while (!next.isEmpty() && !next.element().at().isAfter(now)) {
            end(next.remove());
        }
        waiting = waiting.at(now);
        spacing.values().removeIf(until -> !until.isAfter(now));
        if (settled.filter(then -> !then.isAfter(now)).isPresent()) {
            gpus.settle();
            settled = Optional.empty();
        }
    }

    private void end(End end) {
        waiting = waiting.without(end.task());
        gpus.end(end.attempt(), end.claims(), now);
        usage.end(end.task().id(), now);
        loads.end(end.attempt(), now);
        cpuTasks -= end.claims().isEmpty() ? 1 : 0;
    }

    private Plan pass() {
        work += 1L + gpus.size() + groups();
        var plan = planner.plan(snapshot());
        cpuTasks = plan.cpuTasks();
        gpus.setHolds(plan.fleet().holds());
        plan.starts().forEach(this::start);
        for (var run : plan.startingRuns()) {
            spacing.putIfAbsent(run, now.plus(runSpacing));
        }
        unload(plan);
        budgetCheck =
                plan.limits().isBudgetUsed()
                        ? Optional.of(now.plus(BUDGET_CHECK))
                        : Optional.empty();
        return plan;
    }

    private int groups() {
        return waiting.lanes().queued().size()
                + waiting.queues().values().mapToInt(groups -> groups.size()).sum();
    }

    private Snapshot snapshot() {
        return new Snapshot(
                now,
                waiting,
                gpus.fleet(),
                usage.at(now),
                new StartConditions(
                        cpuTasks,
                        new TreeSet<>(spacing.keySet()),
                        from.starts().faults(),
                        Optional.empty()),
                new VirtualBounds(from.bounds(), started),
                isLimited() ? loads.now() : from.loads(),
                from.reservations(),
                Optional.empty());
    }

    /** Else nothing depends on what users run. */
    private boolean isLimited() {
        return !planner.rules().limits().isEmpty() || !from.reservations().isEmpty();
    }

    private void start(Verdict.Start start) {
        var task = Objects.requireNonNull(tasks.get(start.task()));
        var claims = start.claims();
        waiting = waiting.without(task).withRunning(task);
        task.spec()
                .calledModel()
                .ifPresentOrElse(
                        model -> gpus.call(start.attempt(), model, claims, now),
                        () -> gpus.start(start.attempt(), claims));
        usage.start(task.id(), new RunningUsage(task.owner().principal(), claims.size(), now));
        loads.start(task, start.attempt(), claims.size(), now);
        var end = lengths.of(task).map(now::plus);
        end.ifPresent(at -> next.add(new End(at, task, start.attempt(), claims)));
        started.put(start.attempt(), new VirtualBounds.Started(task, now));
        spans.put(task.id(), new Span(now, end, claims.stream().map(Claim::gpu).toList()));
    }

    private void unload(Plan plan) {
        for (var leaving : plan.unloading().values()) {
            if (gpus.stop(leaving)) {
                settled = settled.or(() -> Optional.of(now.plus(SETTLE_TIME)));
            }
        }
    }
}
