package dev.berth.server.api.task;

import dev.berth.core.forecast.Forecast;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.http.Sentences;
import dev.berth.json.IsoTime;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskQueries.TaskRecord;
import dev.berth.port.read.TaskQueries.WholeTask;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.ExpectedTimesJson;
import dev.berth.server.api.RunPredictionJson;
import dev.berth.server.api.TaskAccess.View;
import dev.berth.server.api.need.NeedJson;
import dev.berth.server.api.queue.QueueJson;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.AttemptInfo;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskHeader;
import dev.berth.wire.TaskResult;
import dev.berth.wire.TaskSummary;
import dev.berth.wire.TaskTimes;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.util.RawValue;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Converts tasks and attempts to JSON. */
public final class TaskJson {
    private final EngineClient engine;
    private final TaskLogs logs;
    private final FindingsJson findings;

    public TaskJson(EngineClient engine, TaskLogs logs, FindingsJson findings) {
        this.engine = engine;
        this.logs = logs;
        this.findings = findings;
    }

    /** Before rows are written. */
    void refreshForecast() {
        engine.forecasts().recent();
    }

    /** The task as its owner and admins see it. */
    public TaskSummary summary(TaskRecord found) {
        return summary(found, View.ALL);
    }

    public TaskSummary summary(TaskRecord found, View view) {
        boolean isBasic = view == View.BASIC;
        var task = found.task();
        var spec = task.spec();
        var need = NeedJson.of(spec.requirements().need());
        var latest = found.latest();
        return new TaskSummary(
                task.id().value(),
                spec.name(),
                header(found, need),
                need.gpuRequest(),
                need.gpuLimits(),
                timeout(spec),
                times(found, engine.forecasts().newest()),
                gpus(task, latest),
                isBasic ? TaskResult.HIDDEN : result(found),
                TaskLaneJson.of(task, engine),
                isBasic
                        ? null
                        : findings.pace(latest).map(pace -> pace.progress().percent()).orElse(null),
                isBasic
                        ? null
                        : FindingsJson.diagnosis(latest)
                                .map(one -> one.cause().code())
                                .orElse(null));
    }

    /** The task's current state, as its owner and admins see it. */
    TaskDetail detail(WholeTask whole) {
        return detail(whole, engine.forecasts().newest());
    }

    /** The same as other users see it. */
    TaskDetail detail(WholeTask whole, Forecast forecast, View view) {
        return TaskVisibility.limited(detail(whole, forecast), view);
    }

    /** The task as submitted, whatever has happened to it since. */
    TaskDetail asSubmitted(Task task, boolean isDraft) {
        var submitted =
                isDraft
                        ? Task.draft(task.id(), task.owner(), task.spec(), task.createdAt())
                        : Task.queued(task.id(), task.owner(), task.spec(), task.createdAt());
        var latest = new TaskRecord(submitted, Optional.empty());
        return detail(new WholeTask(latest, List.of(), Optional.empty()), Forecast.NONE);
    }

    /** The same with expected times. */
    TaskDetail detail(WholeTask whole, Forecast forecast) {
        var found = whole.latest();
        var task = found.task();
        var spec = task.spec();
        var need = NeedJson.of(spec.requirements().need());
        var latest = found.latest();
        return new TaskDetail(
                task.id().value(),
                spec.name(),
                spec.calledModel().isPresent() ? "" : spec.script().text().command(),
                header(found, need),
                spec.script().workDir(),
                need.gpuRequest(),
                need.minGpu(),
                need.gpuLimits(),
                model(spec),
                call(task, whole.result()),
                timeout(spec),
                TaskLaneJson.of(task, engine),
                times(found, forecast),
                gpus(task, latest),
                output(latest),
                result(found),
                List.copyOf(spec.script().text().environment().keySet()),
                queuePlace(task),
                findings.of(latest, spec),
                whole.attempts().stream().map(this::attempt).toList());
    }

    private static TaskHeader header(TaskRecord found, NeedJson need) {
        var task = found.task();
        return new TaskHeader(
                task.state().apiName(),
                phase(found),
                task.spec().options().priority().name(),
                task.owner().name(),
                source(task),
                need.devices());
    }

    private static TaskDetail.Model model(TaskSpec spec) {
        var work = spec.requirements().work();
        return new TaskDetail.Model(
                work.flatMap(ModelWork::model).orElse(null),
                work.flatMap(ModelWork::kind).orElse(null),
                work.map(ModelWork::atoms).filter(atoms -> atoms > 0).orElse(null));
    }

    private static TaskDetail.Call call(Task task, Optional<String> result) {
        if (task.spec().calledModel().isEmpty()) {
            return TaskDetail.Call.NONE;
        }
        return new TaskDetail.Call(
                json(task.spec().script().text().command()),
                result.filter(_ -> task.state() instanceof TaskState.Completed)
                        .map(TaskJson::json)
                        .orElse(null));
    }

    /** As it is stored, so that its numbers keep their form. */
    private static Object json(String text) {
        return new RawValue(text);
    }

    private TaskTimes times(TaskRecord found, Forecast forecast) {
        var task = found.task();
        return new TaskTimes(
                IsoTime.format(task.createdAt()),
                task.queuedAt().map(IsoTime::format).orElse(null),
                startedAt(found.latest()),
                finishedAt(task.state()),
                ExpectedTimesJson.of(task, forecast),
                RunPredictionJson.of(
                        engine.state().sinceStart().learned(), task.owner(), task.spec()));
    }

    private TaskDetail.Output output(Optional<Attempt> latest) {
        return new TaskDetail.Output(
                latest.flatMap(attempt -> attempt.phase().shimProcess())
                        .flatMap(ShimProcess::tmuxSession)
                        .orElse(null),
                latest.map(attempt -> logs.path(attempt.id())).orElse(null));
    }

    private static TaskResult result(TaskRecord found) {
        var failure = TaskFailure.of(found);
        return new TaskResult(exitCode(found.latest()), failure.error(), failure.type());
    }

    private AttemptInfo attempt(Attempt attempt) {
        var run = attempt.phase().shimProcess();
        var ended =
                attempt.phase() instanceof Phase.Ended end
                        ? Optional.of(end)
                        : Optional.<Phase.Ended>empty();
        return new AttemptInfo(
                attempt.id().number(),
                attempt.node(),
                attempt.phase().apiName(),
                gpus(attempt),
                run.map(ShimProcess::key).map(key -> key.pid()).orElse(null),
                IsoTime.format(attempt.scheduledAt()),
                startedAt(Optional.of(attempt)),
                ended.map(Phase.Ended::at).map(IsoTime::format).orElse(null),
                exitCode(Optional.of(attempt)),
                error(attempt));
    }

    /** Until the node has answered about it, an attempt of an earlier server is in doubt. */
    private @Nullable String error(Attempt attempt) {
        var error =
                engine.state().sinceStart().unrecovered().contains(attempt.id())
                        ? ErrorSentence.LOST_UNTIL_FOUND.text()
                        : error(attempt.phase());
        return error == null ? null : Sentences.stored(error);
    }

    /** The error of an attempt, if any. */
    private static @Nullable String error(Phase phase) {
        return switch (phase) {
            case Phase.Handed _, Phase.Starting _, Phase.Running _, Phase.Stopping _ -> null;
            case Phase.Lost(_, String why) -> why;
            case Phase.Stuck(_, _, String what) -> what;
            case Phase.Ended(_, Ending ending, _) ->
                    ending.error().isEmpty() ? null : ending.error();
        };
    }

    private static String phase(TaskRecord found) {
        return switch (found.task().state()) {
            case TaskState.Handed _ ->
                    found.latest().map(attempt -> attempt.phase().apiName()).orElse("handed");
            case TaskState.Running _ ->
                    found.latest().map(attempt -> attempt.phase().apiName()).orElse("starting");
            case TaskState.Pending _,
                    TaskState.Queued _,
                    TaskState.Completed _,
                    TaskState.Failed _,
                    TaskState.Cancelled _ ->
                    found.task().state().apiName();
        };
    }

    private static String source(Task task) {
        return task.spec().source().name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable String startedAt(Optional<Attempt> latest) {
        return latest.flatMap(attempt -> attempt.phase().shimProcess())
                .map(ShimProcess::startedAt)
                .map(IsoTime::format)
                .orElse(null);
    }

    private static @Nullable String finishedAt(TaskState state) {
        return finishTime(state).map(IsoTime::format).orElse(null);
    }

    public static Optional<Instant> finishTime(TaskState state) {
        return switch (state) {
            case TaskState.Pending _, TaskState.Queued _, TaskState.Handed _, TaskState.Running _ ->
                    Optional.empty();
            case TaskState.Completed(Instant at) -> Optional.of(at);
            case TaskState.Failed(Instant at, _) -> Optional.of(at);
            case TaskState.Cancelled(Instant at) -> Optional.of(at);
        };
    }

    /** When an attempt entered its phase, if that is recorded. */
    public static Optional<Instant> phaseChangeTime(Phase phase) {
        return switch (phase) {
            case Phase.Handed _, Phase.Starting _, Phase.Running _, Phase.Lost _, Phase.Stuck _ ->
                    Optional.empty();
            case Phase.Stopping(_, _, Instant since) -> Optional.of(since);
            case Phase.Ended(_, _, Instant at) -> Optional.of(at);
        };
    }

    private static @Nullable Integer exitCode(Optional<Attempt> latest) {
        return latest.map(Attempt::phase).orElse(null)
                        instanceof Phase.Ended(_, Ending.Exited(int code), _)
                ? code
                : null;
    }

    /** A task that waits for a retry holds no GPUs. */
    private @Nullable List<Integer> gpus(Task task, Optional<Attempt> latest) {
        return task.state().isWaiting() ? null : latest.map(this::gpus).orElse(null);
    }

    /** By their current index; a GPU once seen stays known. */
    public List<Integer> gpus(Attempt attempt) {
        var gpuStates = engine.state().gpus();
        return attempt.claims().stream()
                .map(Claim::gpu)
                .flatMap(id -> gpuStates.get(id).stream())
                .map(state -> state.gpu().index())
                .sorted()
                .toList();
    }

    private static @Nullable Integer timeout(TaskSpec spec) {
        return spec.options()
                .timeLimit()
                .map(limit -> Math.toIntExact(limit.toSeconds()))
                .orElse(null);
    }

    /** Position and reasons are from one snapshot. */
    private TaskDetail.QueuePlace queuePlace(Task task) {
        if (!isWaiting(task)) {
            return TaskDetail.QueuePlace.NONE;
        }
        var snapshot = engine.snapshot();
        var position = snapshot.waiting().position(task, snapshot::usedGpuSeconds);
        if (position.isEmpty() && !isWaiting(task)) {
            return TaskDetail.QueuePlace.NONE;
        }
        var why = WaitReasonJson.of(engine.planner().explain(snapshot, task));
        // A delayed task has no place in its queue, but it has a reason.
        return position.isPresent()
                ? new TaskDetail.QueuePlace(position.getAsInt(), QueueJson.score(task), why)
                : new TaskDetail.QueuePlace(null, null, why);
    }

    /** A task that was queued a moment ago may run by now. To explain it would be wasted. */
    private boolean isWaiting(Task task) {
        return task.state().isWaiting()
                && engine.state()
                        .tasks()
                        .get(task.id())
                        .map(Task::state)
                        .orElse(task.state())
                        .isWaiting();
    }
}
