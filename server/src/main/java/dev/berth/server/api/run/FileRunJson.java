package dev.berth.server.api.run;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.commandfile.FileRun.Stage;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;
import dev.berth.runs.RunResources;
import dev.berth.runs.RunSettings;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.command.CommandFileJson;
import dev.berth.server.api.need.NeedJson;
import dev.berth.server.api.task.TaskFailure;
import dev.berth.server.api.task.TaskJson;
import dev.berth.server.api.task.TaskLaneJson;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Converts file runs to JSON. */
public final class FileRunJson {

    private final EngineClient engine;
    private final TaskQueries queries;
    private final TaskLogs logs;
    private final RunResources lanes;
    private final TaskJson tasks;
    private final RunSettings settings;

    public FileRunJson(
            EngineClient engine,
            TaskQueries queries,
            TaskLogs logs,
            RunResources lanes,
            TaskJson tasks) {
        this.engine = engine;
        this.queries = queries;
        this.logs = logs;
        this.lanes = lanes;
        this.tasks = tasks;
        this.settings = lanes.settings();
    }

    /** A run with the state that was read for it. */
    private record View(
            FileRun run,
            EngineState state,
            BoundLogs bound,
            SortedMap<TaskId, Script.Text> scripts) {

        String command(TaskId task) {
            var script = scripts.get(task);
            return script == null ? "" : script.command();
        }
    }

    public TaskQueries queries() {
        return queries;
    }

    public RunState state(FileRun run) throws StoreFailure {
        // The engine's state is read before the store, so that no task is older than the state of
        // its run.
        var view =
                new View(
                        run,
                        engine.state(),
                        BoundLogs.of(run, lanes.bindings()),
                        queries.scripts(run.firstTask(), run.endTask()));
        var page = new Page(OptionalInt.of(run.taskCount()), Optional.of(run.endTask()));
        var records =
                queries.list(Filter.ALL, page).reversed().stream()
                        // Where tasks of the run were removed, the page goes on below the run.
                        .filter(one -> one.task().id().compareTo(run.firstTask()) >= 0)
                        .toList();
        var lanes = new TreeMap<Integer, List<TaskRecord>>();
        for (var one : records) {
            one.task()
                    .spec()
                    .fileRunLane()
                    .ifPresent(
                            lane ->
                                    lanes.computeIfAbsent(lane.queue(), _ -> new ArrayList<>())
                                            .add(one));
        }
        var queues = new LinkedHashMap<String, LaneState>();
        lanes.forEach(
                (queue, laneTasks) ->
                        queues.put(queue.toString(), laneState(view, queue, laneTasks)));
        return new RunState(
                run.id(),
                run.mode().apiName(),
                run.configIndex().isPresent() ? run.configIndex().getAsInt() : null,
                run.file(),
                run.stage().apiName(),
                run.owner().name(),
                priority(records).name(),
                IsoTime.format(run.startedAt()),
                IsoTime.format(updatedAt(run, records)),
                run.endedAt().map(IsoTime::format).orElse(null),
                run.taskCount(),
                count(records, "pending"),
                count(records, "running"),
                count(records, "completed"),
                count(records, "failed"),
                count(records, "cancelled"),
                reason(view, records),
                settings.displayPath(settings.logFile(run)),
                queues,
                CommandFileJson.problems(run.leftOut()));
    }

    private LaneState laneState(View view, int queue, List<TaskRecord> laneTasks) {
        var processes = new ArrayList<ProcessState>();
        for (var one : laneTasks) {
            int index = one.task().spec().fileRunLane().orElseThrow().index();
            processes.add(process(view, one, index, queue));
        }
        var running = first(processes, "running");
        var next = first(processes, "pending");
        var backoff =
                running.isPresent() ? null : next.map(ProcessState::backoffUntil).orElse(null);
        return new LaneState(
                running.isPresent()
                        ? "busy"
                        : next.isEmpty() ? "done" : backoff == null ? "idle" : "backoff",
                processes.size(),
                count(laneTasks, "completed"),
                running.map(ProcessState::taskId).orElse(null),
                running.map(ProcessState::gpus).orElse(List.of()),
                backoff,
                processes);
    }

    private static Optional<ProcessState> first(List<ProcessState> processes, String status) {
        return processes.stream().filter(one -> one.status().equals(status)).findFirst();
    }

    private ProcessState process(View view, TaskRecord found, int index, int queue) {
        var task = found.task();
        var need = NeedJson.of(task.spec().requirements().need());
        var latest = found.latest();
        var memory = need.memoryGb();
        var failure = TaskFailure.of(found);
        var isWaiting = status(task).equals("pending");
        return new ProcessState(
                task.id().value(),
                index,
                task.uniId(),
                view.command(task.id()),
                memory == null ? 0 : memory,
                need.minGpu(),
                isWaiting ? List.of() : latest.map(tasks::gpus).orElse(List.of()),
                latest.filter(Attempt::isLive).flatMap(FileRunJson::pid).orElse(null),
                status(task),
                task.retries(),
                TaskLaneJson.backoffUntil(task, view.state()),
                failure.error(),
                failure.type(),
                latest.map(this::log).orElse(null),
                view.bound().of(queue, index));
    }

    private static Optional<Long> pid(Attempt attempt) {
        return attempt.phase().shimProcess().map(ShimProcess::key).map(key -> key.pid());
    }

    private String log(Attempt attempt) {
        return settings.displayPath(Path.of(logs.path(attempt.id())));
    }

    /** Queued tasks are shown as pending here, whatever they wait for. */
    private static String status(Task task) {
        return task.state().isWaiting() ? "pending" : task.state().apiName();
    }

    private static int count(List<TaskRecord> records, String status) {
        return (int) records.stream().filter(one -> status(one.task()).equals(status)).count();
    }

    private static Priority priority(List<TaskRecord> records) {
        return records.isEmpty()
                ? Priority.NORMAL
                : records.getFirst().task().spec().options().priority();
    }

    /** The latest of all timestamps: it stays the same as long as nothing happens to the run. */
    private static Instant updatedAt(FileRun run, List<TaskRecord> records) {
        var times = Stream.<Instant>builder();
        times.add(run.startedAt());
        switch (run.stage()) {
            case Stage.Running _ -> {}
            case Stage.Stopping(Instant since) -> times.add(since);
            case Stage.Finished(Instant at) -> times.add(at);
            case Stage.Stopped(Instant at) -> times.add(at);
        }
        for (var one : records) {
            one.task().queuedAt().ifPresent(times);
            TaskJson.finishTime(one.task().state()).ifPresent(times);
            one.latest().ifPresent(attempt -> attempt(attempt, times));
        }
        return times.build().max(Comparator.naturalOrder()).orElseThrow();
    }

    private static void attempt(Attempt attempt, Stream.Builder<Instant> times) {
        times.add(attempt.scheduledAt());
        attempt.phase().shimProcess().map(ShimProcess::startedAt).ifPresent(times);
        attempt.scriptReport().map(said -> said.at()).ifPresent(times);
        TaskJson.phaseChangeTime(attempt.phase()).ifPresent(times);
    }

    /** Why no task of the run is running although some could start. */
    private @Nullable String reason(View view, List<TaskRecord> records) {
        boolean isIdle =
                view.run().stage() instanceof Stage.Running && count(records, "running") == 0;
        return isIdle ? head(view, records).flatMap(this::why).orElse(null) : null;
    }

    /** The first queued task of a lane that is not in backoff, or else the first one that is. */
    private static Optional<Task> head(View view, List<TaskRecord> records) {
        var heads = new TreeMap<Integer, Task>();
        for (var one : records) {
            var task = view.state().tasks().get(one.task().id());
            task.filter(live -> live.state().isWaiting())
                    .ifPresent(
                            live ->
                                    live.spec()
                                            .fileRunLane()
                                            .map(Lane.OfFileRun::queue)
                                            .ifPresent(queue -> heads.putIfAbsent(queue, live)));
        }
        var waiting = view.state().waiting();
        return heads.values().stream()
                .min(
                        Comparator.<Task, Boolean>comparing(waiting::isDelayed)
                                .thenComparing(Task::id));
    }

    private Optional<String> why(Task head) {
        var planner = engine.planner();
        return FileRunReason.of(
                planner.explain(engine.snapshot(), head), planner.rules().lanes().leftForOthers());
    }
}
