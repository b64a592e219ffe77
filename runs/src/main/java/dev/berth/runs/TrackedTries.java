package dev.berth.runs;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.engine.EngineState;
import dev.berth.feed.EventFeed;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Selects the tries for the process file: those of live runs, and of tasks that still run after
 * their run was stopped. Changed tasks are found through events, so that short tries are not
 * missed.
 */
final class TrackedTries {

    /** A shim starts its command's shell within a few milliseconds. */
    private static final long SHELL_WAIT_NANOS = Duration.ofMillis(100).toNanos();

    private final TaskQueries queries;
    private final EventFeed feed;
    private final CommandPids pids;
    private final Map<Long, FileRun> runs = new TreeMap<>();
    private final Map<TaskId, Tracked> tasks = new TreeMap<>();
    private final Map<AttemptId, Shell> shells = new TreeMap<>();

    /** Tasks that have changed since they were read. */
    private final Set<TaskId> stale = new TreeSet<>();

    private boolean awaitsShell;

    /** Null if they have changed. */
    private @Nullable Set<String> uniIds;

    /** Without the task itself: it contains its script. */
    private record Tracked(boolean isFinal, List<TaskTry> tries) {}

    private record Shell(OptionalLong pid, long since) {}

    TrackedTries(TaskQueries queries, EventFeed feed, CommandPids pids) {
        this.queries = queries;
        this.feed = feed;
        this.pids = pids;
    }

    /** Continues with the runs of an earlier server. */
    void begin(EngineState state) throws StoreFailure {
        for (var run : state.durable().fileRuns().values().toList()) {
            runs.put(run.id(), run);
            var page =
                    new TaskQueries.Page(
                            OptionalInt.of(run.taskCount()), Optional.of(run.endTask()));
            queries.list(TaskQueries.Filter.ALL, page).stream()
                    .map(TaskQueries.TaskRecord::task)
                    .filter(task -> task.attempts() > 0)
                    .forEach(task -> stale.add(task.id()));
        }
        for (var attempt : state.attempts()) {
            var id = attempt.getKey().task();
            if (state.tasks().get(id).flatMap(task -> task.spec().fileRunLane()).isPresent()) {
                stale.add(id);
            }
        }
        feed.moveTo(state.lastIds().seq());
    }

    /**
     * @param state committed, with all events up to its own sequence number
     * @param started runs since the last call, including ended ones
     */
    void follow(EngineState state, Collection<FileRun> started) throws StoreFailure {
        started.forEach(run -> runs.put(run.id(), run));
        state.durable().fileRuns().values().forEach(run -> runs.put(run.id(), run));
        if (isIdle()) {
            feed.moveTo(Math.max(feed.position(), state.lastIds().seq()));
            return;
        }
        feed.readUpTo(
                state.lastIds().seq(),
                page ->
                        page.forEach(
                                event ->
                                        event.task()
                                                .filter(this::isTracked)
                                                .ifPresent(stale::add)));
        for (var id : List.copyOf(stale)) {
            refresh(id);
            stale.remove(id);
        }
    }

    private boolean isTracked(TaskId id) {
        return tasks.containsKey(id) || isOfRun(id);
    }

    private boolean isOfRun(TaskId id) {
        return runs.values().stream()
                .anyMatch(
                        run ->
                                id.compareTo(run.firstTask()) >= 0
                                        && id.compareTo(run.endTask()) < 0);
    }

    private void refresh(TaskId id) throws StoreFailure {
        var found = queries.find(id);
        if (found.isPresent() && found.get().task().attempts() > 0) {
            var task = found.get().task();
            var attempts =
                    task.attempts() == 1
                            ? found.get().latest().stream().toList()
                            : queries.attempts(id);
            tasks.put(id, new Tracked(task.state().isFinal(), TaskTry.of(task, attempts)));
            uniIds = null;
        }
    }

    boolean isIdle() {
        return runs.isEmpty() && tasks.isEmpty() && stale.isEmpty();
    }

    /** A try has just started, and its shell is not found yet. */
    boolean awaitsShell() {
        return awaitsShell;
    }

    /** The tries for the file. */
    List<TaskTry> current(long now) {
        awaitsShell = false;
        var toWrite = new ArrayList<TaskTry>();
        for (var followed : tasks.values()) {
            for (var taskTry : followed.tries) {
                var shell = shell(taskTry, now);
                boolean isTooEarly =
                        taskTry.isRunningNow()
                                && shell.pid.isEmpty()
                                && now - shell.since < SHELL_WAIT_NANOS;
                if (isTooEarly) {
                    awaitsShell = true;
                } else {
                    toWrite.add(taskTry.withPid(shell.pid));
                }
            }
        }
        return toWrite;
    }

    /** A PID stays known after its process has ended. */
    private Shell shell(TaskTry taskTry, long now) {
        var known =
                shells.computeIfAbsent(
                        taskTry.attempt(), _ -> new Shell(OptionalLong.empty(), now));
        if (known.pid.isPresent() || !taskTry.isRunningNow() || taskTry.shim().isEmpty()) {
            return known;
        }
        var found = new Shell(pids.find(taskTry.shim().get()), known.since);
        shells.put(taskTry.attempt(), found);
        return found;
    }

    /** The running tries. */
    Stream<TaskTry> live() {
        return tasks.values().stream()
                .map(Tracked::tries)
                .filter(tries -> !tries.isEmpty() && tries.getLast().isRunningNow())
                .map(List::getLast);
    }

    /** Computed only after a change: a large run has very many. */
    Set<String> uniIds() {
        var known = uniIds;
        if (known == null) {
            known =
                    tasks.values().stream()
                            .flatMap(followed -> followed.tries.stream())
                            .map(TaskTry::uniId)
                            .collect(Collectors.toUnmodifiableSet());
            uniIds = known;
        }
        return known;
    }

    /** Stops tracking ended tries; their records stay in the file. */
    void removeEnded(EngineState state) {
        // A run that is newer than this state has not ended.
        runs.keySet()
                .removeIf(
                        id ->
                                id <= state.lastIds().run()
                                        && !state.durable().fileRuns().contains(id));
        if (tasks.entrySet()
                .removeIf(entry -> entry.getValue().isFinal && !isOfRun(entry.getKey()))) {
            uniIds = null;
        }
        shells.keySet().removeIf(id -> !tasks.containsKey(id.task()));
    }
}
