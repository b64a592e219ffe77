package dev.berth.server.api;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.LaneRun.Stage;
import dev.berth.core.lane.Problem;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Run;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.engine.State;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries.Filter;
import dev.berth.engine.port.TaskQueries.Page;
import dev.berth.engine.port.TaskQueries.TaskRecord;
import dev.berth.server.lane.RunSettings;
import dev.berth.wire.FileProblem;
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
import java.util.TreeMap;
import java.util.stream.Stream;

/** Started command files as they travel. */
public final class RunWords {

    private final Desk desk;
    private final RunSettings settings;
    private final TaskWords tasks;

    public RunWords(Desk desk) {
        this.desk = desk;
        this.settings = desk.lanes().runs();
        this.tasks = new TaskWords(desk);
    }

    /** What is in front of the one who asks. */
    private record View(LaneRun run, State state, BoundLogs bound) {}

    public RunState state(LaneRun run) throws StoreFailure {
        return state(run, null);
    }

    /** The answer to a start. */
    RunState started(LaneRun run, List<FileProblem> problems) throws StoreFailure {
        return state(run, problems);
    }

    static List<FileProblem> problems(List<Problem> parsed, List<Problem> left) {
        return CommandWords.problems(
                Stream.concat(parsed.stream(), left.stream())
                        .sorted(Comparator.comparingInt(Problem::line))
                        .toList());
    }

    private RunState state(LaneRun run, @Nullable List<FileProblem> problems) throws StoreFailure {
        // Before the store is read, so that no task is behind what is said of its run.
        var view = new View(run, desk.engine().state(), BoundLogs.of(run, desk.lanes().bindings()));
        var page = new Page(OptionalInt.of(run.count()), Optional.of(run.end()));
        var records = desk.queries().list(Filter.ALL, page).reversed();
        var lanes = new TreeMap<Integer, List<TaskRecord>>();
        for (var one : records) {
            one.task()
                    .spec()
                    .ofRun()
                    .ifPresent(
                            lane ->
                                    lanes.computeIfAbsent(lane.queue(), _ -> new ArrayList<>())
                                            .add(one));
        }
        var queues = new LinkedHashMap<String, LaneState>();
        lanes.forEach((queue, own) -> queues.put(queue.toString(), lane(view, queue, own)));
        return new RunState(
                run.id(),
                run.mode().word(),
                run.config().isPresent() ? run.config().getAsInt() : null,
                run.file(),
                run.stage().word(),
                run.owner().name(),
                priority(records).name(),
                Times.text(run.startedAt()),
                Times.text(updatedAt(run, records)),
                run.endedAt().map(Times::text).orElse(null),
                run.count(),
                count(records, "pending"),
                count(records, "running"),
                count(records, "completed"),
                count(records, "failed"),
                count(records, "cancelled"),
                reason(view, records),
                settings.shown(settings.log(run)),
                queues,
                problems);
    }

    private LaneState lane(View view, int queue, List<TaskRecord> own) {
        var processes = new ArrayList<ProcessState>();
        for (var one : own) {
            int index = one.task().spec().ofRun().orElseThrow().index();
            processes.add(process(view, one, index, queue));
        }
        var running = first(processes, "running");
        var next = first(processes, "pending");
        var rest = running.isPresent() ? null : next.map(ProcessState::backoffUntil).orElse(null);
        return new LaneState(
                running.isPresent()
                        ? "busy"
                        : next.isEmpty() ? "done" : rest == null ? "idle" : "backoff",
                processes.size(),
                count(own, "completed"),
                running.map(ProcessState::taskId).orElse(null),
                running.map(ProcessState::gpus).orElse(List.of()),
                rest,
                processes);
    }

    private static Optional<ProcessState> first(List<ProcessState> processes, String status) {
        return processes.stream().filter(one -> one.status().equals(status)).findFirst();
    }

    private ProcessState process(View view, TaskRecord found, int index, int queue) {
        var task = found.task();
        var need = NeedWords.of(task.spec().need());
        var latest = found.latest();
        var memory = need.memoryGb();
        var failure = Failure.of(found);
        var isWaiting = word(task).equals("pending");
        return new ProcessState(
                task.id().value(),
                index,
                task.uniId(),
                task.spec().command(),
                memory == null ? 0 : memory,
                need.minGpu(),
                isWaiting ? List.of() : latest.map(tasks::gpus).orElse(List.of()),
                latest.filter(Attempt::isLive).flatMap(RunWords::pid).orElse(null),
                word(task),
                task.retries(),
                LaneWords.backoffUntil(task, view.state()),
                failure.error(),
                failure.type(),
                latest.map(this::log).orElse(null),
                view.bound().of(queue, index));
    }

    private static Optional<Long> pid(Attempt attempt) {
        return attempt.phase().begun().map(Run::process).map(key -> key.pid());
    }

    private String log(Attempt attempt) {
        return settings.shown(Path.of(desk.logs().path(attempt.id())));
    }

    /** What waits is pending here, whatever it waits for. */
    private static String word(Task task) {
        return task.state() instanceof TaskState.Queued ? "pending" : task.state().word();
    }

    private static int count(List<TaskRecord> records, String status) {
        return (int) records.stream().filter(one -> word(one.task()).equals(status)).count();
    }

    private static Priority priority(List<TaskRecord> records) {
        return records.isEmpty() ? Priority.NORMAL : records.getFirst().task().spec().priority();
    }

    /** The latest of all times in it: it stands still as long as nothing happens to the run. */
    private static Instant updatedAt(LaneRun run, List<TaskRecord> records) {
        var times = Stream.<Instant>builder();
        times.add(run.startedAt());
        switch (run.stage()) {
            case Stage.Live _ -> {}
            case Stage.Stopping(Instant since) -> times.add(since);
            case Stage.Finished(Instant at) -> times.add(at);
            case Stage.Stopped(Instant at) -> times.add(at);
        }
        for (var one : records) {
            one.task().queuedAt().ifPresent(times);
            TaskWords.finished(one.task().state()).ifPresent(times);
            one.latest().ifPresent(attempt -> attempt(attempt, times));
        }
        return times.build().max(Comparator.naturalOrder()).orElseThrow();
    }

    private static void attempt(Attempt attempt, Stream.Builder<Instant> times) {
        times.add(attempt.grantedAt());
        attempt.phase().begun().map(Run::startedAt).ifPresent(times);
        attempt.said().map(said -> said.at()).ifPresent(times);
        TaskWords.turned(attempt.phase()).ifPresent(times);
    }

    /** Why nothing of it runs, though something could come. */
    private @Nullable String reason(View view, List<TaskRecord> records) {
        boolean isIdle = view.run().stage() instanceof Stage.Live && count(records, "running") == 0;
        return isIdle ? head(view, records).flatMap(this::why).orElse(null) : null;
    }

    /** The first of a lane that does not rest, or else the first that does. */
    private static Optional<Task> head(View view, List<TaskRecord> records) {
        var heads = new TreeMap<Integer, Task>();
        for (var one : records) {
            var task = view.state().tasks().get(one.task().id());
            task.filter(live -> live.state() instanceof TaskState.Queued)
                    .ifPresent(
                            live ->
                                    live.spec()
                                            .ofRun()
                                            .map(Lane.OfRun::queue)
                                            .ifPresent(queue -> heads.putIfAbsent(queue, live)));
        }
        var waiting = view.state().waiting();
        return heads.values().stream()
                .min(
                        Comparator.<Task, Boolean>comparing(waiting::isResting)
                                .thenComparing(Task::id));
    }

    private Optional<String> why(Task head) {
        var planner = desk.engine().engine().planner();
        return RunReason.of(planner.why(desk.snapshot(), head), planner.rules().lanes().left());
    }
}
