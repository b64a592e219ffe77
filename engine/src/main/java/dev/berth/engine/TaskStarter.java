package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.lane.Lane;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.ClusterWindow;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.StartConditions;
import dev.berth.core.plan.UserLoads;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.share.LimitKey;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.EngineMeter;
import dev.berth.port.Node;
import dev.berth.port.event.AttemptPayload;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Runs scheduling passes and turns the planner's verdicts into attempts. */
final class TaskStarter {

    private static final Duration REPLAN_EVERY = Duration.ofSeconds(5);

    /** How often the wait for a worker at work is weighed against a load. */
    private static final Duration WEIGH_EVERY = Duration.ofSeconds(1);

    private final Planner planner;
    private final NodeSession place;
    private final AttemptSettings tuning;
    private final WorkerDecider workers;
    private final WorkerTimers workerTimers;

    /**
     * The node of new attempts, and the epoch of this server start.
     *
     * @param cluster if a cluster runs them
     */
    record NodeSession(String node, String bootId, long epoch, Optional<ClusterTerms> cluster) {}

    /**
     * Who starts a task: the scheduler or a person.
     *
     * @param isForced even if other processes use its GPUs
     */
    record StartedBy(Owner actor, boolean isForced) {
        static final StartedBy SCHEDULER = new StartedBy(Owner.BERTH, false);
    }

    TaskStarter(
            Planner planner,
            AttemptSettings tuning,
            NodeSession place,
            WorkerDecider workers,
            WorkerTimers workerTimers) {
        this.workers = workers;
        this.workerTimers = workerTimers;
        this.planner = planner;
        this.tuning = tuning;
        this.place = place;
    }

    Snapshot snapshot(EngineState state, Optional<WaitReason.Paused> pause, Instant at) {
        return snapshot(state, pause, at, EngineLoads.of(state));
    }

    private Snapshot snapshot(
            EngineState state, Optional<WaitReason.Paused> pause, Instant at, UserLoads loads) {
        var used = state.durable().usage().totals(at, running(state));
        return new Snapshot(
                at,
                state.waiting(),
                fleet(state, at),
                used,
                new StartConditions(
                        cpuTasks(state),
                        delayedRuns(state, at),
                        state.sinceStart().launchFaults().details(),
                        pause),
                new EngineBounds(state),
                loads,
                state.durable().reservations(),
                window(state));
    }

    /** Every attempt is looked at for them; a pass needs them for limits and reservations. */
    private UserLoads passLoads(EngineState state) {
        return planner.rules().limits().isEmpty() && state.durable().reservations().isEmpty()
                ? new UserLoads(state.durable().groups(), new TreeMap<>(), new TreeMap<>())
                : EngineLoads.of(state);
    }

    private Optional<ClusterWindow> window(EngineState state) {
        return place.cluster().map(terms -> ClusterDecider.window(state, terms));
    }

    /** File runs that must not start a task now: one is starting, or started just before. */
    private SortedSet<Long> delayedRuns(EngineState state, Instant at) {
        var runs = new TreeSet<Long>();
        if (state.durable().fileRuns().isEmpty()) {
            return runs;
        }
        for (var grant : state.sinceStart().lastStarts()) {
            if (at.isBefore(grant.getValue().plus(tuning.assignDelay()))) {
                runs.add(grant.getKey());
            }
        }
        state.attempts()
                .values()
                .filter(attempt -> attempt.phase() instanceof Phase.Starting)
                .map(attempt -> state.tasks().get(attempt.id().task()).orElseThrow())
                .flatMap(task -> task.spec().fileRunLane().stream())
                .forEach(lane -> runs.add(lane.run()));
        return runs;
    }

    /** When the first delay between two starts of a file run ends. */
    Optional<Instant> nextRunDelayEnd(EngineState state, Instant at) {
        return state.sinceStart()
                .lastStarts()
                .values()
                .map(then -> then.plus(tuning.assignDelay()))
                .filter(then -> then.isAfter(at))
                .min(Comparator.naturalOrder());
    }

    /** When a worker becomes due, if so. */
    Optional<Instant> nextWorkerTime(EngineState state, Instant at) {
        var due = workerTimers.nextAfter(state, at);
        var weighed = at.plus(WEIGH_EVERY);
        return isWarmAwaited(state) && due.filter(weighed::isAfter).isEmpty()
                ? Optional.of(weighed)
                : due;
    }

    /** A task may wait for a worker at work, which pays only for some time. */
    private boolean isWarmAwaited(EngineState state) {
        return planner.rules().modelCache().isWarmAwaited()
                && !state.waiting().queues().isEmpty()
                && state.sinceStart().workers().all().anyMatch(one -> one.call().isPresent());
    }

    private Fleet fleet(EngineState state, Instant at) {
        var traffic = state.sinceStart().gpuReleases();
        var loaded = PersistentMap.<GpuId, List<String>>empty();
        for (var entry : traffic.recentModels()) {
            // A model in use does not expire.
            var then = state.holds().contains(entry.getKey()) ? Instant.MIN : at;
            var models = planner.rules().modelCache().loaded(entry.getValue(), then);
            loaded = loaded.with(entry.getKey(), models);
        }
        var warm = state.sinceStart().workers().warm(at);
        for (var entry : warm.workers()) {
            loaded = loaded.with(entry.getKey(), loaded(entry, loaded));
        }
        return new Fleet(
                state.schedulableGpus(),
                state.holds(),
                traffic.leaving(),
                traffic.releasedAt(),
                loaded,
                warm);
    }

    /** With the models of the workers there. */
    private static List<String> loaded(
            Map.Entry<GpuId, List<WarmWorker>> there, PersistentMap<GpuId, List<String>> loaded) {
        var models = new LinkedHashSet<>(loaded.get(there.getKey()).orElse(List.of()));
        there.getValue().stream()
                .filter(worker -> !worker.isStopping())
                .map(WarmWorker::model)
                .forEach(models::add);
        return List.copyOf(models);
    }

    private static List<GpuUsage.RunningUsage> running(EngineState state) {
        return state.attempts()
                .values()
                .filter(attempt -> !attempt.claims().isEmpty() && !attempt.isWorker())
                .map(attempt -> running(attempt, state))
                .toList();
    }

    private static GpuUsage.RunningUsage running(Attempt attempt, EngineState state) {
        var owner = state.tasks().get(attempt.id().task()).orElseThrow().owner();
        return new GpuUsage.RunningUsage(
                owner.principal(), attempt.claims().size(), attempt.scheduledAt());
    }

    private static int cpuTasks(EngineState state) {
        return (int)
                state.attempts().values().filter(attempt -> attempt.claims().isEmpty()).count();
    }

    /**
     * One scheduling pass, unless it would look at the same as the last one, which started no task.
     *
     * @param idle what that last pass looked at; empty if it started a task
     * @return the same about this pass; empty if nothing is queued, so that the next task is
     *     planned
     */
    Optional<PassInput> pass(
            Decision decision,
            Optional<WaitReason.Paused> pause,
            Optional<PassInput> idle,
            EngineMeter meter) {
        if (hasWorkerWork(decision.state())) {
            workerTimers.decide(decision, () -> snapshot(decision.state(), pause, decision.at()));
        }
        var state = decision.state();
        if (state.waiting().isNoneQueued() && place.cluster().isEmpty()) {
            return Optional.empty();
        }
        boolean isProbe = mayProbe(state, pause, decision.at());
        var now =
                Optional.of(
                        new PassInput(
                                state.waiting(),
                                state.schedulableGpus(),
                                state.holds(),
                                state.sinceStart().gpuReleases().leaving(),
                                cpuTasks(state),
                                delayedRuns(state, decision.at()),
                                pause,
                                isProbe,
                                replanTick(state, decision.at()),
                                state.sinceStart().workers().warm(decision.at()),
                                shareInput(state, decision.at()),
                                window(state).map(ClusterWindow::tasksByPrincipal)));
        if (now.equals(idle)) {
            return idle;
        }
        var watch = meter.startTiming(EngineMeter.TimedStep.PASS);
        var snapshot = snapshot(state, pause, decision.at(), passLoads(state));
        var plan = planner.plan(isProbe ? snapshot.unpaused() : snapshot);
        watch.stop();
        var starts = isProbe ? plan.starts().stream().limit(1).toList() : plan.starts();
        if (!isProbe) {
            plan.unloading()
                    .values()
                    .forEach(unloading -> WorkerDecider.evict(decision, unloading));
        }
        for (var start : starts) {
            start(decision, start, StartedBy.SCHEDULER);
            if (isProbe) {
                LaunchFaultDecider.probing(decision, start.attempt());
            }
        }
        snapshot.cluster()
                .filter(_ -> pause.isEmpty())
                .ifPresent(window -> ClusterDecider.withdraw(decision, snapshot, window));
        return starts.isEmpty() ? now : Optional.empty();
    }

    private static boolean hasWorkerWork(EngineState state) {
        var workers = state.sinceStart().workers();
        return !workers.workers().isEmpty() || !workers.toPrewarm().isEmpty();
    }

    /** While the machine cannot start tasks, one at a time tries. */
    private static boolean mayProbe(
            EngineState state, Optional<WaitReason.Paused> pause, Instant at) {
        boolean isOnlyCause =
                pause.filter(one -> one.cause() == WaitReason.Paused.PauseCause.MACHINE_FAULT)
                        .isPresent();
        return isOnlyCause
                && state.durable().scheduler().isRunning()
                && state.sinceStart()
                        .launchFaults()
                        .episode()
                        .filter(one -> one.mayProbe(at))
                        .isPresent();
    }

    /** An order by usage changes with time alone, so an unchanged queue is planned again. */
    private long replanTick(EngineState state, Instant at) {
        if (isWarmAwaited(state)) {
            return at.getEpochSecond() / WEIGH_EVERY.toSeconds();
        }
        return state.waiting().order().dependsOnUsage()
                        || planner.rules().limits().uses(LimitKey.GPU_HOURS_PER_DAY)
                ? at.getEpochSecond() / REPLAN_EVERY.toSeconds()
                : 0;
    }

    /** What limits and reservations depend on; nothing if there are none. */
    private ShareInput shareInput(EngineState state, Instant at) {
        var reservations = state.durable().reservations();
        if (planner.rules().limits().isEmpty() && reservations.isEmpty()) {
            return ShareInput.NONE;
        }
        var active = new TreeSet<Long>();
        for (var entry : reservations) {
            entry.getValue()
                    .windowAt(at)
                    .filter(ReservationWindow::isActive)
                    .ifPresent(window -> active.add(window.id()));
        }
        return new ShareInput(EngineLoads.of(state), reservations, active);
    }

    /**
     * @param active the reservations whose window is now
     */
    record ShareInput(
            UserLoads loads,
            PersistentMap<Long, Reservation> reservations,
            SortedSet<Long> active) {

        static final ShareInput NONE =
                new ShareInput(UserLoads.NONE, PersistentMap.empty(), new TreeSet<>());
    }

    /** Everything that decides whether a task can start. */
    record PassInput(
            WaitingTasks waiting,
            PersistentMap<GpuId, GpuState> cards,
            PersistentMap<GpuId, List<HeldClaim>> holds,
            PersistentMap<GpuId, List<AttemptId>> leaving,
            int cpuTasks,
            SortedSet<Long> delayedRuns,
            Optional<WaitReason.Paused> pause,
            boolean isProbe,
            long replanTick,
            WarmModels warm,
            ShareInput shares,
            Optional<SortedMap<String, Integer>> inCluster) {}

    void start(Decision decision, Verdict.Start start, StartedBy startedBy) {
        var task = decision.state().tasks().get(start.task()).orElseThrow();
        var planned =
                new Attempt(
                        start.attempt(),
                        place.node(),
                        place.epoch(),
                        place.bootId(),
                        start.claims(),
                        decision.at(),
                        place.cluster().isPresent() ? new Phase.Handed() : new Phase.Starting());
        decision.save(task.after(begin(planned.id())));
        boolean isCall = task.spec().calledModel().isPresent();
        var attempt = isCall ? workers.startCall(decision, task, planned) : planned;
        decision.save(attempt);
        AttemptEndDecider.recordModelUse(decision, task, attempt, planner.rules().modelCache());
        var cards =
                start.claims().stream()
                        .map(Claim::gpu)
                        .map(id -> decision.state().gpus().get(id).orElseThrow().gpu())
                        .toList();
        decision.addEvent(
                startedBy.actor(),
                attempt.id(),
                new AttemptPayload.AttemptScheduled(
                        decision.state().gpuIndices(attempt),
                        waited(task, decision.at()),
                        startedBy.isForced(),
                        start.leavesTooFewIdle(),
                        task.spec().options().lane().map(Lane::apiName)));
        task.spec().fileRunLane().ifPresent(lane -> recordStart(decision, lane.run()));
        if (isCall) {
            return;
        }
        var terms =
                new Node.LaunchTerms(startedBy.isForced(), planner.rules(), tuning.startTimeout());
        decision.addEffect(
                new Effect.Launch(
                        new Node.Launch(
                                attempt,
                                task.spec(),
                                cards,
                                terms,
                                reportKey(task),
                                Optional.of(Node.Submission.of(task)))));
    }

    private TaskTransition begin(AttemptId attempt) {
        return place.cluster().isPresent()
                ? new TaskTransition.HandOver(attempt.number())
                : new TaskTransition.Start(attempt.number());
    }

    /** Only the scripts of command files report their own end. */
    static Optional<String> reportKey(Task task) {
        return task.spec().fileRunLane().map(_ -> task.uniId());
    }

    /** A draft that is started by hand was in no queue. */
    private static Duration waited(Task task, Instant at) {
        var waited = Duration.between(task.queuedAt().orElse(at), at);
        return waited.isNegative() ? Duration.ZERO : waited;
    }

    private static void recordStart(Decision decision, long run) {
        var watch = decision.state().sinceStart();
        var grants = watch.lastStarts().with(run, decision.at());
        decision.setState(decision.state().with(watch.withLastStarts(grants)));
    }
}
