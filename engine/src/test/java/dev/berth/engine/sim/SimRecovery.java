package dev.berth.engine.sim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.recover.RecoveryPlan;
import dev.berth.port.Change;
import dev.berth.port.SchedulerState;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.HomeTraces;
import dev.berth.port.recover.LivingAttempt;
import dev.berth.port.recover.StoredTasks;
import dev.berth.testkit.MemoryStore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** {@code berth recover} on the simulated machine, with the plan that the real one uses. */
record SimRecovery(SimMachine machine, MemoryStore store) implements HomeTraces, StoredTasks {

    /** A waiting shim has a pid, but has not written it yet. */
    private static final long WAITING_PID = 1_000_000;

    /**
     * Makes the store know every attempt of the machine.
     *
     * @param acknowledged the highest task id that the home has acknowledged
     * @return the tasks that it names as lost, or empty if it changed nothing
     */
    Optional<SortedSet<TaskId>> run(long acknowledged, Instant at) {
        try {
            var plan = new RecoveryPlan(this);
            plan.make(store, this, acknowledged);
            if (!plan.blockers().isEmpty()) {
                return Optional.empty();
            }
            plan.unstarted().forEach(this::close);
            var changes = new ArrayList<>(plan.changes());
            var off = new SchedulerState.LastSwitch(Owner.BERTH, at);
            changes.add(new Change.SchedulerSaved(new SchedulerState(false, Optional.of(off))));
            store.recover(changes, Math.max(acknowledged, highestFolder()));
            var lost = new TreeSet<TaskId>();
            plan.lost().forEach(id -> lost.add(new TaskId(id)));
            return Optional.of(lost);
        } catch (StoreFailure impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public boolean close(AttemptId id) {
        if (!machine.plantTombstone(id)) {
            throw new IllegalStateException("attempt " + id + " has started");
        }
        machine.folder(id).ifPresent(folder -> folder.shimWaits = false);
        return true;
    }

    @Override
    public List<Long> folders() {
        return machine.attempts().stream().map(id -> id.task().value()).distinct().toList();
    }

    @Override
    public List<Integer> attempts(TaskId task) {
        return machine.attempts().stream()
                .filter(id -> id.task().equals(task))
                .map(AttemptId::number)
                .toList();
    }

    @Override
    public AttemptRecord record(AttemptId id) {
        var found = machine.folder(id);
        if (found.isEmpty()) {
            var none = new AttemptRecord.Outcome.NotStarted();
            return new AttemptRecord(id, Optional.empty(), none, Instant.EPOCH);
        }
        var folder = found.get();
        var order = folder.order;
        var description =
                new AttemptRecord.Description(
                        order.attempt(),
                        withoutRun(order.spec()),
                        order.submission().orElseThrow());
        return new AttemptRecord(
                id, Optional.of(description), outcome(folder), order.attempt().scheduledAt());
    }

    /** A directory does not tell of which run its task was. */
    private static TaskSpec withoutRun(TaskSpec spec) {
        var options = spec.options();
        return spec.with(
                new TaskOptions(
                        options.priority(),
                        options.timeLimit(),
                        options.lane().filter(Lane.Named.class::isInstance),
                        options.maxRetries()));
    }

    private static AttemptRecord.Outcome outcome(SimMachine.AttemptFolder folder) {
        if (folder.exitRecord.isPresent()) {
            return new AttemptRecord.Outcome.Exited(folder.exitRecord.getAsInt());
        }
        return folder.go.isPresent()
                ? new AttemptRecord.Outcome.Started(folder.go.map(run -> run.key()))
                : new AttemptRecord.Outcome.NotStarted();
    }

    @Override
    public SortedMap<AttemptId, LivingAttempt> living() {
        var living = new TreeMap<AttemptId, LivingAttempt>();
        for (var id : machine.alive()) {
            var folder = machine.folder(id).orElseThrow();
            long pid = folder.go.map(run -> run.key().pid()).orElse(WAITING_PID);
            boolean isShimAlive = folder.shimWaits || folder.commandAlive;
            var shim =
                    isShimAlive
                            ? Optional.of(new ProcessKey(machine.bootId(), pid, pid))
                            : Optional.<ProcessKey>empty();
            living.put(id, new LivingAttempt(id, shim, List.of(pid)));
        }
        return living;
    }

    @Override
    public boolean isClosed(AttemptId id) {
        return machine.folder(id).filter(folder -> folder.tombstone).isPresent();
    }

    @Override
    public long lastTask() {
        return store.peek().last().task().map(TaskId::value).orElse(0L);
    }

    @Override
    public List<Long> unfinishedTasks() {
        return store.peek().tasks().stream().map(task -> task.id().value()).toList();
    }

    @Override
    public OptionalInt attempts(long task) {
        return store
                .find(new TaskId(task))
                .map(record -> record.task())
                .map(Task::attempts)
                .stream()
                .mapToInt(Integer::intValue)
                .findFirst();
    }

    @Override
    public boolean isLive(AttemptId id) {
        return store.peek().attempts().stream().map(Attempt::id).anyMatch(id::equals);
    }
}
