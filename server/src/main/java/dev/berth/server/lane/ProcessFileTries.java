package dev.berth.server.lane;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.State;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;

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
 * The tries that belong into the process file: those of the runs that go on, and of what goes on by
 * itself after its run was stopped. Which tasks have changed is told by the events, so that nothing
 * is missed however short it was.
 */
final class ProcessFileTries {

    private static final int PAGE = 500;

    /** A shim starts its command's shell in a few milliseconds. */
    private static final long SHELL_NANOS = Duration.ofMillis(100).toNanos();

    private final TaskQueries queries;
    private final CommandPids pids;
    private final Map<Long, LaneRun> runs = new TreeMap<>();
    private final Map<TaskId, Followed> tasks = new TreeMap<>();
    private final Map<AttemptId, Shell> shells = new TreeMap<>();

    /** Changed since they were read. */
    private final Set<TaskId> stale = new TreeSet<>();

    private long heard;
    private boolean awaitsShell;

    private record Followed(Task task, List<ProcessFileTry> tries) {}

    private record Shell(OptionalLong pid, long since) {}

    ProcessFileTries(TaskQueries queries, CommandPids pids) {
        this.queries = queries;
        this.pids = pids;
    }

    /** Takes up what an earlier server began. */
    void begin(State state) throws StoreFailure {
        for (var run : state.books().runs().values().toList()) {
            runs.put(run.id(), run);
            var page = new TaskQueries.Page(OptionalInt.of(run.count()), Optional.of(run.end()));
            queries.list(TaskQueries.Filter.ALL, page).stream()
                    .map(TaskQueries.TaskRecord::task)
                    .filter(task -> task.attempts() > 0)
                    .forEach(task -> stale.add(task.id()));
        }
        for (var attempt : state.attempts()) {
            var id = attempt.getKey().task();
            if (state.tasks().get(id).flatMap(task -> task.spec().ofRun()).isPresent()) {
                stale.add(id);
            }
        }
        heard = state.marks().seq();
    }

    /**
     * @param state committed, as are all events up to its own
     * @param started since the last time, also what is over already
     */
    void follow(State state, Collection<LaneRun> started) throws StoreFailure {
        started.forEach(run -> runs.put(run.id(), run));
        state.books().runs().values().forEach(run -> runs.put(run.id(), run));
        if (isIdle()) {
            heard = Math.max(heard, state.marks().seq());
            return;
        }
        while (heard < state.marks().seq()) {
            var events = queries.eventsAfter(heard, PAGE);
            if (events.isEmpty()) {
                break;
            }
            for (var event : events) {
                event.task().filter(this::isFollowed).ifPresent(stale::add);
                heard = event.seq();
            }
        }
        for (var id : List.copyOf(stale)) {
            refresh(id);
            stale.remove(id);
        }
    }

    private boolean isFollowed(TaskId id) {
        return tasks.containsKey(id) || isOfRun(id);
    }

    private boolean isOfRun(TaskId id) {
        return runs.values().stream()
                .anyMatch(run -> id.compareTo(run.first()) >= 0 && id.compareTo(run.end()) < 0);
    }

    private void refresh(TaskId id) throws StoreFailure {
        var found = queries.find(id);
        if (found.isPresent() && found.get().task().attempts() > 0) {
            var task = found.get().task();
            var attempts =
                    task.attempts() == 1
                            ? found.get().latest().stream().toList()
                            : queries.attempts(id);
            tasks.put(id, new Followed(task, ProcessFileTry.of(task, attempts)));
        }
    }

    boolean isIdle() {
        return runs.isEmpty() && tasks.isEmpty() && stale.isEmpty();
    }

    /** Something has just begun, and its shell is not there yet. */
    boolean awaitsShell() {
        return awaitsShell;
    }

    /** What is to stand in the file. */
    List<ProcessFileTry> wanted(long now) {
        awaitsShell = false;
        var wanted = new ArrayList<ProcessFileTry>();
        for (var followed : tasks.values()) {
            for (var one : followed.tries) {
                var shell = shell(one, now);
                boolean isTooEarly =
                        one.isLive() && shell.pid.isEmpty() && now - shell.since < SHELL_NANOS;
                if (isTooEarly) {
                    awaitsShell = true;
                } else {
                    wanted.add(one.with(shell.pid));
                }
            }
        }
        return wanted;
    }

    /** Once found it stays, also when the process is gone. */
    private Shell shell(ProcessFileTry one, long now) {
        var known =
                shells.computeIfAbsent(one.attempt(), _ -> new Shell(OptionalLong.empty(), now));
        if (known.pid.isPresent() || !one.isLive() || one.shim().isEmpty()) {
            return known;
        }
        var found = new Shell(pids.of(one.shim().get()), known.since);
        shells.put(one.attempt(), found);
        return found;
    }

    /** Those that run. */
    Stream<ProcessFileTry> live() {
        return tasks.values().stream()
                .map(Followed::tries)
                .filter(tries -> !tries.isEmpty() && tries.getLast().isLive())
                .map(List::getLast);
    }

    Set<String> uniIds() {
        return tasks.values().stream()
                .flatMap(followed -> followed.tries.stream())
                .map(ProcessFileTry::uniId)
                .collect(Collectors.toSet());
    }

    /** Leaves the records of what is over to whoever owns the file. */
    void forget(State state) {
        // A run that this state does not know yet is not over.
        runs.keySet()
                .removeIf(id -> id <= state.marks().run() && !state.books().runs().contains(id));
        tasks.entrySet()
                .removeIf(
                        entry ->
                                entry.getValue().task.state().isFinal()
                                        && !isOfRun(entry.getKey()));
        shells.keySet().removeIf(id -> !tasks.containsKey(id.task()));
    }
}
