package dev.berth.app.system;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;
import dev.berth.port.read.TaskQueries.WholeTask;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The tasks of a personal home as tasks of the server of the machine. Ended ones are history;
 * waiting ones wait again, in the same order.
 *
 * @param ids the new id of each task that is taken over, by its old id
 * @param waiting the place of each waiting task among them, by its old id
 * @param running tasks that have to end first
 * @param leftOut waiting tasks that need something of their home: the run of a command file, or a
 *     model
 */
record ImportedTasks(
        SortedMap<Long, Long> ids,
        SortedMap<Long, Integer> waiting,
        List<Long> running,
        List<Long> leftOut) {

    ImportedTasks {
        ids = Collections.unmodifiableSortedMap(new TreeMap<>(ids));
        waiting = Collections.unmodifiableSortedMap(new TreeMap<>(waiting));
        running = List.copyOf(running);
        leftOut = List.copyOf(leftOut);
    }

    /** Whose tasks they become. */
    record NewOwner(String user, int uid) {}

    /**
     * Ids stay if they are all free.
     *
     * @param lastUsed the highest id that the server of the machine has used
     */
    static ImportedTasks plan(TaskQueries home, long lastUsed) throws StoreFailure {
        var records = new ArrayList<>(home.list(Filter.ALL, Page.WHOLE));
        records.sort(Comparator.comparing(one -> one.task().id()));
        var ended = new ArrayList<Long>();
        var running = new ArrayList<Long>();
        var leftOut = new ArrayList<Long>();
        var waiting = new ArrayList<Task>();
        for (var one : records) {
            var task = one.task();
            if (task.state().isFinal()) {
                ended.add(task.id().value());
            } else if (isRunning(one)) {
                running.add(task.id().value());
            } else if (task.spec().fileRunLane().isPresent()
                    || task.spec().calledModel().isPresent()) {
                leftOut.add(task.id().value());
            } else {
                waiting.add(task);
            }
        }
        waiting.sort(Comparator.comparing(Task::waitingSince).thenComparing(Task::id));
        var taken = new ArrayList<>(ended);
        var places = new TreeMap<Long, Integer>();
        for (var task : waiting) {
            places.put(task.id().value(), places.size());
            taken.add(task.id().value());
        }
        return new ImportedTasks(ids(taken, lastUsed), places, running, leftOut);
    }

    private static boolean isRunning(TaskRecord one) {
        return one.task().state() instanceof TaskState.Running
                || one.latest().filter(Attempt::isLive).isPresent();
    }

    private static SortedMap<Long, Long> ids(List<Long> taken, long lastUsed) {
        boolean areFree = taken.stream().allMatch(id -> id > lastUsed);
        var ids = new TreeMap<Long, Long>();
        long next = lastUsed + 1;
        for (long id : taken) {
            ids.put(id, areFree ? id : next++);
        }
        return ids;
    }

    /** The highest new id. */
    long lastTask(long lastUsed) {
        return ids.values().stream().mapToLong(Long::longValue).max().orElse(lastUsed);
    }

    /**
     * The changes that store one task.
     *
     * @param at the time at which waiting tasks are submitted again
     */
    List<Change> changes(WholeTask found, NewOwner owner, Instant at) {
        var old = found.task();
        var id = new TaskId(Objects.requireNonNull(ids.get(old.id().value())));
        var changes = new ArrayList<Change>();
        if (old.state().isFinal()) {
            changes.add(new Change.TaskSaved(ended(old, id, owner)));
            found.attempts().forEach(one -> changes.add(new Change.AttemptSaved(with(one, id))));
            found.result().ifPresent(text -> changes.add(new Change.ResultSaved(id, text)));
        } else {
            // The order of creation is the order in the queue.
            int place = waiting.getOrDefault(old.id().value(), 0);
            var created = at.plus(place, ChronoUnit.MICROS);
            var spec = spec(old, owner);
            changes.add(
                    new Change.TaskSaved(
                            old.state() instanceof TaskState.Pending
                                    ? Task.draft(id, Owner.unix(owner.user()), spec, created)
                                    : Task.queued(id, Owner.unix(owner.user()), spec, created)));
        }
        return changes;
    }

    private static Task ended(Task old, TaskId id, NewOwner owner) {
        return new Task(
                id,
                Owner.unix(owner.user()),
                spec(old, owner),
                old.createdAt(),
                old.queuedAt(),
                old.state(),
                old.attempts(),
                old.retries(),
                Optional.empty());
    }

    /** Runs of command files have numbers of their own in each home. */
    private static TaskSpec spec(Task old, NewOwner owner) {
        var spec = old.spec();
        var options = spec.options();
        var kept =
                spec.fileRunLane().isEmpty()
                        ? options
                        : new TaskOptions(
                                options.priority(),
                                options.timeLimit(),
                                Optional.empty(),
                                options.maxRetries());
        var account = new RunAs(owner.user(), owner.uid(), Optional.empty());
        return spec.with(kept).with(spec.script().text().withRunAs(account));
    }

    private static Attempt with(Attempt old, TaskId id) {
        return new Attempt(
                new AttemptId(id, old.id().number()),
                old.node(),
                old.epoch(),
                old.bootId(),
                old.claims(),
                old.scheduledAt(),
                old.phase(),
                old.scriptReport(),
                old.findings(),
                Optional.empty());
    }
}
