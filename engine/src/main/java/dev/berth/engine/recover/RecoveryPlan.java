package dev.berth.engine.recover;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Task;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.HomeTraces;
import dev.berth.port.recover.LivingAttempt;
import dev.berth.port.recover.StoredTasks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Decides what to store so that the database knows every attempt of the home. */
public final class RecoveryPlan {

    private final HomeTraces traces;
    private final Map<TaskId, Task> savedTasks = new TreeMap<>();
    private final Map<AttemptId, Attempt> savedAttempts = new TreeMap<>();
    private final List<AttemptId> unstarted = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private final List<Long> lost = new ArrayList<>();
    private final List<String> blockers = new ArrayList<>();

    public RecoveryPlan(HomeTraces traces) {
        this.traces = traces;
    }

    /**
     * @param acknowledged the highest task id that the home has acknowledged, as far as known
     */
    public void make(TaskQueries queries, StoredTasks stored, long acknowledged)
            throws StoreFailure {
        for (var task : candidates(stored)) {
            restore(new TaskId(task), queries, stored);
        }
        releaseClaims(queries, stored);
        listLost(stored.lastTask(), Math.max(acknowledged, traces.highestFolder()));
    }

    /** Tasks that the database may know too little about. */
    private SortedSet<Long> candidates(StoredTasks stored) throws StoreFailure {
        var ids = new TreeSet<>(traces.folders().subList(firstUnknown(stored), count()));
        var folders = new TreeSet<>(traces.folders());
        stored.unfinishedTasksUpTo(traces.highestFolder()).stream()
                .filter(folders::contains)
                .forEach(ids::add);
        for (var attempt : traces.living().values()) {
            if (isUnknown(attempt, traces, stored)) {
                ids.add(attempt.id().task().value());
            }
        }
        return ids;
    }

    private int count() {
        return traces.folders().size();
    }

    private int firstUnknown(StoredTasks stored) throws StoreFailure {
        long last = stored.lastTask();
        int first = count();
        while (first > 0 && traces.folders().get(first - 1) > last) {
            first--;
        }
        return first;
    }

    private void restore(TaskId id, TaskQueries queries, StoredTasks stored) throws StoreFailure {
        var known = queries.find(id).map(TaskQueries.TaskRecord::task);
        int knownAttempts = known.map(Task::attempts).orElse(0);
        var records = new ArrayList<RestoredAttempt>();
        for (int number : numbers(id, knownAttempts)) {
            var attempt = new AttemptId(id, number);
            var living = Optional.ofNullable(traces.living().get(attempt));
            records.add(new RestoredAttempt(traces.record(attempt), living));
        }
        if (records.isEmpty()) {
            blockEndedButRunning(id, stored);
            return;
        }
        var template = known.or(() -> lastDescribed(records));
        if (template.isEmpty()) {
            reportUndescribed(id, records);
            return;
        }
        for (var attempt : known.isEmpty() ? List.<Attempt>of() : queries.attempts(id)) {
            if (attempt.isLive()) {
                end(attempt);
            }
        }
        save(template.get(), records);
    }

    private List<Integer> numbers(TaskId id, int above) throws StoreFailure {
        var numbers = new TreeSet<>(traces.attempts(id));
        traces.living().keySet().stream()
                .filter(attempt -> attempt.task().equals(id))
                .forEach(attempt -> numbers.add(attempt.number()));
        return numbers.stream().filter(number -> number > above).toList();
    }

    private static Optional<Task> lastDescribed(List<RestoredAttempt> records) {
        return records.reversed().stream()
                .flatMap(one -> one.record().description().stream())
                .map(AttemptRecord.Description::task)
                .findFirst();
    }

    private void reportUndescribed(TaskId id, List<RestoredAttempt> records) {
        if (records.stream().anyMatch(RestoredAttempt::isLiving)) {
            records.stream().filter(RestoredAttempt::isLiving).forEach(this::block);
        } else {
            lines.add(
                    "Task %s is known only from its directory, which does not describe it; it is not restored."
                            .formatted(id));
        }
    }

    private void block(RestoredAttempt one) {
        blockers.add(
                "Task %s runs (pid %s), and nothing tells which GPUs it holds."
                        .formatted(
                                one.record().id().task(),
                                one.living().orElseThrow().pids().stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(", "))));
    }

    /** The record of an attempt says that it has ended, but its shim lives. */
    private void blockEndedButRunning(TaskId id, StoredTasks stored) throws StoreFailure {
        for (var attempt : traces.living().values()) {
            if (attempt.id().task().equals(id) && isUnknown(attempt, traces, stored)) {
                blockers.add(
                        "Task %s has ended in the database, but attempt %d of it runs (pid %s)."
                                .formatted(
                                        id,
                                        attempt.id().number(),
                                        attempt.pids().stream()
                                                .map(String::valueOf)
                                                .collect(Collectors.joining(", "))));
            }
        }
    }

    private void save(Task template, List<RestoredAttempt> records) {
        for (var one : records) {
            if (one.isLiving() && one.record().description().isEmpty()) {
                block(one);
                return;
            }
        }
        RestoredAttempt deciding = records.getLast();
        for (var one : records) {
            one.attempt().ifPresent(attempt -> savedAttempts.put(attempt.id(), attempt));
            if (one.isUnstarted()) {
                unstarted.add(one.record().id());
            }
            if (one.isLiving()) {
                deciding = one;
            }
        }
        var number = deciding.record().id().number();
        var task =
                new Task(
                        template.id(),
                        template.owner(),
                        template.spec(),
                        template.createdAt(),
                        template.queuedAt(),
                        deciding.taskState(),
                        Math.max(number, records.getLast().record().id().number()),
                        template.retries(),
                        Optional.empty());
        savedTasks.put(task.id(), task);
        lines.add(deciding.describe(template.spec().name()));
    }

    /** An attempt that the database still knows as running, and of which nothing lives. */
    private void end(Attempt attempt) throws StoreFailure {
        if (traces.living().containsKey(attempt.id())) {
            return;
        }
        var record = traces.record(attempt.id());
        savedAttempts.put(attempt.id(), new RestoredAttempt(record, Optional.empty()).end(attempt));
    }

    /** GPUs that a restored running attempt holds cannot be held by one that has ended. */
    private void releaseClaims(TaskQueries queries, StoredTasks stored) throws StoreFailure {
        var held = new HashMap<GpuId, AttemptId>();
        savedAttempts.values().stream()
                .filter(Attempt::isLive)
                .forEach(
                        attempt ->
                                attempt.claims().stream()
                                        .filter(Claim::isExclusive)
                                        .forEach(claim -> held.put(claim.gpu(), attempt.id())));
        if (held.isEmpty()) {
            return;
        }
        for (long id : stored.unfinishedTasks()) {
            for (var attempt : queries.attempts(new TaskId(id))) {
                var other =
                        attempt.claims().stream()
                                .map(claim -> held.get(claim.gpu()))
                                .filter(holder -> holder != null && !holder.equals(attempt.id()))
                                .findFirst();
                if (attempt.isLive()
                        && !savedAttempts.containsKey(attempt.id())
                        && other.isPresent()) {
                    releaseClaim(queries, attempt, other.get());
                }
            }
        }
    }

    private void releaseClaim(TaskQueries queries, Attempt attempt, AttemptId other)
            throws StoreFailure {
        if (traces.living().containsKey(attempt.id())) {
            blockers.add(
                    "Tasks %s and %s both run and hold the same GPU; end one of them."
                            .formatted(attempt.id().task(), other.task()));
            return;
        }
        var record = traces.record(attempt.id());
        var ended = new RestoredAttempt(record, Optional.empty());
        var task = queries.find(attempt.id().task()).orElseThrow().task();
        savedAttempts.put(attempt.id(), ended.end(attempt));
        savedTasks.put(
                task.id(),
                new Task(
                        task.id(),
                        task.owner(),
                        task.spec(),
                        task.createdAt(),
                        task.queuedAt(),
                        ended.taskState(),
                        task.attempts(),
                        task.retries(),
                        Optional.empty()));
        if (ended.isUnstarted()) {
            unstarted.add(attempt.id());
        }
        lines.add(ended.describe(task.spec().name()));
    }

    /** Ids that were acknowledged, but of which nothing is left. */
    private void listLost(long lastKnown, long acknowledged) {
        var folders = new HashSet<>(traces.folders());
        for (long id = lastKnown + 1; id <= acknowledged; id++) {
            if (!savedTasks.containsKey(new TaskId(id)) && !folders.contains(id)) {
                lost.add(id);
            }
        }
        if (!lost.isEmpty()) {
            lines.add(
                    "Acknowledged after this database was written, never started, and lost: tasks"
                            + " %s. Submit them again. Removed tasks are in this list, too."
                                    .formatted(ranges(lost)));
        }
    }

    private static String ranges(List<Long> ids) {
        var text = new ArrayList<String>();
        for (int from = 0; from < ids.size(); ) {
            int to = from;
            while (to + 1 < ids.size() && ids.get(to + 1) == ids.get(to) + 1) {
                to++;
            }
            text.add(from == to ? "" + ids.get(from) : ids.get(from) + "–" + ids.get(to));
            from = to + 1;
        }
        return String.join(", ", text);
    }

    /** What nothing has started yet, and must never start: its task waits again. */
    public List<AttemptId> unstarted() {
        return unstarted;
    }

    /** Acknowledged tasks of which nothing is left. */
    public List<Long> lost() {
        return lost;
    }

    /**
     * An attempt that the database knows as ended may have left processes behind, but never its
     * shim. The record of a removed task is gone, too, but its id is not higher than the last one.
     */
    public static boolean isUnknown(LivingAttempt attempt, HomeTraces traces, StoredTasks stored)
            throws StoreFailure {
        var id = attempt.id();
        if (stored.isLive(id)) {
            return false;
        }
        var attempts = stored.attempts(id.task().value());
        return id.task().value() > stored.lastTask()
                || (attempts.isPresent() && id.number() > attempts.getAsInt())
                || (attempt.shim().isPresent() && !traces.isClosed(id));
    }

    public List<Change> changes() {
        var changes = new ArrayList<Change>();
        savedTasks.values().forEach(task -> changes.add(new Change.TaskSaved(task)));
        savedAttempts.values().forEach(attempt -> changes.add(new Change.AttemptSaved(attempt)));
        return changes;
    }

    public List<String> lines() {
        return lines;
    }

    public List<String> blockers() {
        return blockers;
    }
}
