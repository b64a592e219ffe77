package dev.berth.engine.sim;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Headroom;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.EngineState;
import dev.berth.engine.Invariants;
import dev.berth.testkit.MemoryStore;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What users have seen, and what must be true after every step because of it. */
final class Oracle {

    private final MemoryStore store;
    private final SimMachine machine;
    private final SimGpus cards;
    private final RandomRequests whims;
    private final SortedMap<TaskId, TaskSpec> acknowledged = new TreeMap<>();
    private final SortedMap<String, TaskId> keys = new TreeMap<>();
    private final SortedSet<TaskId> cancelled = new TreeSet<>();

    /** Attempts that ended while the database was lost, so that no server saw it. */
    private final SortedSet<AttemptId> endedUnseen = new TreeSet<>();

    /** Tasks that had started when the database was lost; what was before them may wait again. */
    private final SortedSet<TaskId> startedBeforeLoss = new TreeSet<>();

    Oracle(MemoryStore store, SimMachine machine, SimGpus cards, RandomRequests whims) {
        this.store = store;
        this.machine = machine;
        this.cards = cards;
        this.whims = whims;
    }

    void acknowledged(String key, TaskId id, TaskSpec spec) {
        var earlier = keys.putIfAbsent(key, id);
        if (earlier != null && !earlier.equals(id)) {
            throw new Simulation.Violation("one key made two tasks: " + earlier + " and " + id);
        }
        acknowledged.put(id, spec.stored());
    }

    List<String> keys() {
        return List.copyOf(keys.keySet());
    }

    List<TaskId> acknowledgedTasks() {
        return List.copyOf(acknowledged.keySet());
    }

    long highestAcknowledged() {
        return acknowledged.isEmpty() ? 0 : acknowledged.lastKey().value();
    }

    void cancelled(TaskId id) {
        cancelled.add(id);
    }

    boolean isCancelled(TaskId id) {
        return cancelled.contains(id);
    }

    /**
     * After a recovery of a lost database. What the directories of the tasks cannot tell may be
     * lost, but must be named.
     *
     * @param lost the tasks that the recovery named
     */
    void recovered(SortedSet<TaskId> lost) {
        acknowledged.keySet().removeAll(lost);
        cancelled.removeAll(lost);
        cancelled.removeIf(id -> !(find(id).state() instanceof TaskState.Cancelled));
        var kept = new HashSet<String>();
        store.peek().keys().keySet().forEach(key -> kept.add(key.key()));
        keys.keySet().retainAll(kept);
        machine.reports().keySet().stream()
                .filter(id -> store.attempts(id.task()).stream().noneMatch(isLive(id)))
                .forEach(endedUnseen::add);
        machine.attempts().forEach(id -> startedBeforeLoss.add(id.task()));
    }

    private static Predicate<Attempt> isLive(AttemptId id) {
        return attempt -> attempt.id().equals(id) && attempt.isLive();
    }

    /** After every step in which the store was not lost. */
    void checkStore() {
        for (var entry : acknowledged.entrySet()) {
            var spec = find(entry.getKey()).spec().stored();
            if (!spec.equals(entry.getValue()) && !whims.wasRequested(entry.getKey(), spec)) {
                throw new Simulation.Violation(
                        "task " + entry.getKey() + " is not what was submitted");
            }
        }
        for (var id : cancelled) {
            var state = find(id).state();
            if (state.isFinal() && !(state instanceof TaskState.Cancelled)) {
                throw new Simulation.Violation("task " + id + " was cancelled and became " + state);
            }
        }
        for (var alive : machine.alive()) {
            boolean live =
                    store.attempts(alive.task()).stream()
                            .anyMatch(attempt -> attempt.id().equals(alive) && attempt.isLive());
            if (!live && machine.folder(alive).orElseThrow().go.isPresent()) {
                throw new Simulation.Violation(
                        "attempt " + alive + " runs, but the store says that it ended");
            }
        }
        machine.reports().forEach(this::checkReport);
    }

    /** An attempt must not end without what its script had reported before. */
    private void checkReport(AttemptId id, ScriptReport report) {
        boolean isLost =
                store.attempts(id.task()).stream()
                        .filter(attempt -> attempt.id().equals(id) && !attempt.isLive())
                        .anyMatch(attempt -> !attempt.scriptReport().equals(Optional.of(report)));
        if (isLost && !endedUnseen.contains(id)) {
            throw new Simulation.Violation("attempt " + id + " ended without its report " + report);
        }
    }

    /** Each new claim agrees with the reading it was based on, and fits. */
    void checkGrants(EngineState before, EngineState after, Instant now) {
        for (var attempt : after.attempts().values().toList()) {
            if (before.attempts().contains(attempt.id())) {
                continue;
            }
            for (var claim : attempt.claims()) {
                checkGrant(attempt.id(), claim, after, now);
            }
        }
    }

    private void checkGrant(AttemptId id, Claim claim, EngineState state, Instant now) {
        var where = "attempt " + id + " was granted " + claim.gpu();
        boolean replacesWorker =
                state.attempts().get(id).filter(Attempt::isWorker).isPresent()
                        && state.durable()
                                .faults()
                                .get(claim.gpu())
                                .filter(fault -> fault.kind() == GpuFault.Kind.WORKER)
                                .isPresent();
        var gpus = replacesWorker ? state.gpus() : state.schedulableGpus();
        if (!(gpus.get(claim.gpu()).orElseThrow() instanceof GpuState.Readable(_, var reading))) {
            throw new Simulation.Violation(where + ", which cannot be read or is out of use");
        }
        if (reading.processes().orElseThrow().stream().anyMatch(GpuProcess::isOtherUsersCompute)) {
            throw new Simulation.Violation(where + ", on which another user computes");
        }
        if (Headroom.mib(reading, List.of()).orElseThrow() < claim.memoryMib()) {
            throw new Simulation.Violation(where + ", which has no room for it");
        }
        var others =
                cards.others(claim.gpu(), id, now).stream()
                        .filter(
                                other ->
                                        state.attempts()
                                                .get(other)
                                                .filter(Attempt::isWorker)
                                                .isEmpty())
                        .toList();
        if (!others.isEmpty()) {
            throw new Simulation.Violation(where + ", which still carries " + others);
        }
    }

    /** What the engine has in memory follows from the store. */
    void checkState(EngineState state, Instant now) {
        Invariants.firstBroken(state)
                .ifPresent(
                        rule -> {
                            throw new Simulation.Violation(rule);
                        });
        checkLanes(state);
        checkWorkers(state);
        var kept = EngineState.of(store.peek(), state.waiting().order(), 0);
        if (!kept.tasks().equals(state.tasks()) || !kept.attempts().equals(state.attempts())) {
            throw new Simulation.Violation("memory and store differ");
        }
        if (!kept.waiting().at(now).equals(state.waiting().at(now))
                || !kept.holds().equals(state.holds())) {
            throw new Simulation.Violation("what follows from the state was not kept up");
        }
    }

    /** One worker per claim, one worker of a model on a GPU, and each call has its worker. */
    private static void checkWorkers(EngineState state) {
        var seen = new HashSet<String>();
        var workers = state.sinceStart().workers();
        for (var worker : workers.all().toList()) {
            var attempt = state.attempts().get(worker.id()).filter(Attempt::isWorker).orElse(null);
            if (attempt == null || !attempt.claims().getFirst().gpu().equals(worker.gpu())) {
                throw new Simulation.Violation("worker " + worker + " has no claim");
            }
            if (!worker.isStopping() && !seen.add(worker.gpu() + " " + worker.model())) {
                throw new Simulation.Violation("two workers of one model on " + worker.gpu());
            }
        }
        for (var attempt : state.attempts().values().toList()) {
            if (attempt.isWorker() && !workers.workers().contains(attempt.id())) {
                throw new Simulation.Violation("worker " + attempt.id() + " is not known");
            }
            if (attempt.isCall()
                    && workers.workers()
                            .get(attempt.worker().orElseThrow())
                            .filter(worker -> worker.call().equals(Optional.of(attempt.id())))
                            .isEmpty()) {
                throw new Simulation.Violation("call " + attempt.id() + " has no worker");
            }
        }
    }

    /** In a lane only one task runs, and only after all tasks before it have ended. */
    private void checkLanes(EngineState state) {
        for (var task : state.tasks().values().toList()) {
            boolean isForeign =
                    task.spec()
                            .fileRunLane()
                            .flatMap(lane -> state.durable().fileRuns().get(lane.run()))
                            .filter(
                                    run ->
                                            task.id().compareTo(run.firstTask()) < 0
                                                    || task.id().compareTo(run.endTask()) >= 0)
                            .isPresent();
            if (isForeign) {
                throw new Simulation.Violation(
                        "task " + task.id() + " has the lane of another run");
            }
        }
        for (var run : state.durable().fileRuns().values().toList()) {
            if (run.unfinishedTasks(state.tasks()) == 0) {
                throw new Simulation.Violation("run " + run.id() + " goes on with nothing left");
            }
            var before = new TreeMap<String, Task>();
            for (long id = run.firstTask().value(); id < run.endTask().value(); id++) {
                var task = find(new TaskId(id));
                var lane = task.spec().fileRunLane().orElseThrow().apiName();
                var open = before.get(lane);
                boolean isEarly = task.attempts() > 0 && !startedBeforeLoss.contains(task.id());
                if (open != null && isEarly) {
                    throw new Simulation.Violation(
                            "task " + id + " was started before " + open.id() + " had ended");
                }
                if (!task.state().isFinal()) {
                    before.put(lane, task);
                }
            }
        }
    }

    private Task find(TaskId id) {
        return store.find(id)
                .orElseThrow(
                        () ->
                                new Simulation.Violation(
                                        "task " + id + " was acknowledged and is gone"))
                .task();
    }
}
