package dev.berth.port.event;

import static dev.berth.port.event.StoredField.choice;
import static dev.berth.port.event.StoredField.constant;
import static dev.berth.port.event.StoredField.indices;
import static dev.berth.port.event.StoredField.mark;
import static dev.berth.port.event.StoredField.number;
import static dev.berth.port.event.StoredField.smallNumber;
import static dev.berth.port.event.StoredField.text;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.id.TaskRanges;
import dev.berth.core.task.Priority;
import dev.berth.core.task.StopCause;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.port.event.AttemptPayload.AttemptAdopted;
import dev.berth.port.event.AttemptPayload.AttemptEnded;
import dev.berth.port.event.AttemptPayload.AttemptLost;
import dev.berth.port.event.AttemptPayload.AttemptScheduled;
import dev.berth.port.event.AttemptPayload.AttemptStarted;
import dev.berth.port.event.AttemptPayload.AttemptStopping;
import dev.berth.port.event.AttemptPayload.AttemptStuck;
import dev.berth.port.event.AttemptPayload.ScriptReported;
import dev.berth.port.event.FileRunPayload.FileRunEnded;
import dev.berth.port.event.FileRunPayload.FileRunStarted;
import dev.berth.port.event.FileRunPayload.FileRunStopping;
import dev.berth.port.event.ServerPayload.LearnedForgotten;
import dev.berth.port.event.ServerPayload.SchedulerStarted;
import dev.berth.port.event.ServerPayload.SchedulerStopped;
import dev.berth.port.event.ServerPayload.ServerStarted;
import dev.berth.port.event.ServerPayload.TokenCreated;
import dev.berth.port.event.ServerPayload.TokenRef;
import dev.berth.port.event.ServerPayload.TokenRevoked;
import dev.berth.port.event.TaskPayload.EstimateRaised;
import dev.berth.port.event.TaskPayload.TaskCancelled;
import dev.berth.port.event.TaskPayload.TaskChanged;
import dev.berth.port.event.TaskPayload.TaskCompleted;
import dev.berth.port.event.TaskPayload.TaskDrafted;
import dev.berth.port.event.TaskPayload.TaskFailed;
import dev.berth.port.event.TaskPayload.TaskQueued;
import dev.berth.port.event.TaskPayload.TaskRequeued;
import dev.berth.port.event.TaskPayload.TaskRetried;
import dev.berth.port.event.TaskPayload.TaskSubmitted;
import dev.berth.port.event.TaskPayload.TasksRemoved;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The stored forms of all events that are not alerts. */
final class EventForms {

    private static final String SEPARATOR = ", ";

    private static final StoredField<String> NAME = text("name");
    private static final StoredField<Priority> PRIORITY =
            StoredField.of("priority", Priority::valueOf, Priority::name);
    private static final StoredField<List<String>> CHANGED =
            StoredField.of("changed", EventForms::split, parts -> String.join(SEPARATOR, parts));
    private static final StoredField<Integer> RETRY = smallNumber("retry");
    private static final StoredField<Instant> NOT_BEFORE =
            StoredField.of("not_before", Instant::parse, Instant::toString);
    private static final StoredField<Long> MEMORY_MIB = number("memory_mib");
    private static final StoredField<String> MODEL = text("model");
    private static final StoredField<Long> FROM_MIB = number("from_mib");
    private static final StoredField<Long> TO_MIB = number("to_mib");

    private static final StoredField<List<Integer>> GPUS = indices("gpus");
    private static final StoredField<Duration> WAITED =
            StoredField.of(
                    "waited_ms",
                    text -> Duration.ofMillis(Long.parseLong(text)),
                    time -> Long.toString(time.toMillis()));
    private static final StoredField<Boolean> FORCED = mark("forced", "true");
    private static final StoredField<Boolean> GPU_LEFT =
            mark("gpu_left", "not kept: it cannot do with fewer");
    private static final StoredField<String> LANE = text("lane");
    private static final StoredField<Long> PID = number("pid");
    private static final StoredField<StopCause> STOP_CAUSE = constant("cause", StopCause.class);
    private static final StoredField<String> WHY = text("why");
    private static final StoredField<String> WHAT = text("what");
    private static final StoredField<Boolean> OUTCOME =
            choice("outcome", "normal_exit", "abnormal_exit");
    private static final StoredField<String> ERROR_TYPE = text("error_type");
    private static final StoredField<Integer> EXIT_CODE = smallNumber("exit_code");
    private static final StoredField<String> REASON = text("reason");
    private static final StoredField<Cause> CAUSE = constant("cause", Cause.class);

    private static final StoredField<Long> RUN = number("run");
    private static final StoredField<FileMode> MODE = constant("mode", FileMode.class);
    private static final StoredField<String> FILE = text("file");
    private static final StoredField<TaskRanges> TASK_RANGES =
            StoredField.of("tasks", TaskRanges::parse, TaskRanges::toString);
    private static final StoredField<Integer> COUNT = smallNumber("count");
    private static final StoredField<Integer> TASKS = smallNumber("tasks");
    private static final StoredField<Boolean> HOW = choice("how", "stopped", "finished");

    private static final StoredField<Long> EPOCH = number("epoch");
    private static final StoredField<Long> TOKEN = number("token");
    private static final StoredField<Token.Kind> TOKEN_KIND = constant("kind", Token.Kind.class);
    private static final StoredField<String> OWNER = text("owner");
    private static final StoredField<String> FINGERPRINT = text("fingerprint");

    private EventForms() {}

    static List<PayloadForm<?>> ofTasks() {
        return List.of(
                new PayloadForm<>(
                        "task.submitted",
                        TaskSubmitted.class,
                        in -> new TaskSubmitted(in.get(NAME), in.get(PRIORITY)),
                        (it, out) -> out.put(NAME, it.name()).put(PRIORITY, it.priority())),
                new PayloadForm<>(
                        "task.drafted",
                        TaskDrafted.class,
                        in -> new TaskDrafted(in.get(NAME), in.get(PRIORITY)),
                        (it, out) -> out.put(NAME, it.name()).put(PRIORITY, it.priority())),
                PayloadForm.empty("task.queued", new TaskQueued(), TaskQueued.class),
                new PayloadForm<>(
                        "task.changed",
                        TaskChanged.class,
                        in -> new TaskChanged(in.get(CHANGED)),
                        (it, out) -> out.put(CHANGED, it.parts())),
                PayloadForm.empty("task.requeued", new TaskRequeued(), TaskRequeued.class),
                new PayloadForm<>(
                        "task.retried",
                        TaskRetried.class,
                        in -> new TaskRetried(in.get(RETRY), in.find(NOT_BEFORE), memoryMib(in)),
                        EventForms::write),
                PayloadForm.empty("task.completed", new TaskCompleted(), TaskCompleted.class),
                PayloadForm.empty("task.failed", new TaskFailed(), TaskFailed.class),
                PayloadForm.empty("task.cancelled", new TaskCancelled(), TaskCancelled.class),
                new PayloadForm<>(
                        "tasks.removed",
                        TasksRemoved.class,
                        in -> new TasksRemoved(in.get(TASK_RANGES)),
                        (it, out) ->
                                out.put(TASK_RANGES, it.tasks()).put(COUNT, it.tasks().count())),
                new PayloadForm<>(
                        "estimate.raised",
                        EstimateRaised.class,
                        in -> new EstimateRaised(in.get(MODEL), in.get(FROM_MIB), in.get(TO_MIB)),
                        (it, out) ->
                                out.put(MODEL, it.model())
                                        .put(FROM_MIB, it.fromMib())
                                        .put(TO_MIB, it.toMib())));
    }

    private static List<String> split(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(SEPARATOR, -1));
    }

    private static OptionalLong memoryMib(FieldReader in) {
        return in.find(MEMORY_MIB).map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    private static void write(TaskRetried it, FieldWriter out) {
        out.put(RETRY, it.retry()).putIfPresent(NOT_BEFORE, it.notBefore());
        it.memoryMib().ifPresent(mib -> out.put(MEMORY_MIB, mib));
    }

    static List<PayloadForm<?>> ofAttempts() {
        return List.of(
                // A word of 0.1.0.
                new PayloadForm<>(
                        "attempt.granted",
                        AttemptScheduled.class,
                        in ->
                                new AttemptScheduled(
                                        in.get(GPUS),
                                        in.get(WAITED),
                                        in.has(FORCED),
                                        in.has(GPU_LEFT),
                                        in.find(LANE)),
                        (it, out) ->
                                out.put(GPUS, it.gpus())
                                        .put(WAITED, it.waited())
                                        .putIf(FORCED, it.isForced())
                                        .putIf(GPU_LEFT, it.leavesTooFewIdle())
                                        .putIfPresent(LANE, it.lane())),
                new PayloadForm<>(
                        "attempt.started",
                        AttemptStarted.class,
                        in -> new AttemptStarted(in.get(PID)),
                        (it, out) -> out.put(PID, it.pid())),
                new PayloadForm<>(
                        "attempt.adopted",
                        AttemptAdopted.class,
                        in -> new AttemptAdopted(in.get(PID)),
                        (it, out) -> out.put(PID, it.pid())),
                new PayloadForm<>(
                        "attempt.stopping",
                        AttemptStopping.class,
                        in -> new AttemptStopping(in.get(STOP_CAUSE)),
                        (it, out) -> out.put(STOP_CAUSE, it.cause())),
                new PayloadForm<>(
                        "attempt.lost",
                        AttemptLost.class,
                        in -> new AttemptLost(in.get(WHY)),
                        (it, out) -> out.put(WHY, it.why())),
                new PayloadForm<>(
                        "attempt.stuck",
                        AttemptStuck.class,
                        in -> new AttemptStuck(in.get(WHAT)),
                        (it, out) -> out.put(WHAT, it.what())),
                // A word of 0.1.0.
                new PayloadForm<>(
                        "attempt.said",
                        ScriptReported.class,
                        in -> new ScriptReported(in.get(OUTCOME), in.find(ERROR_TYPE)),
                        (it, out) ->
                                out.put(OUTCOME, it.isSuccess())
                                        .putIfPresent(ERROR_TYPE, it.errorType())),
                new PayloadForm<>(
                        "attempt.ended",
                        AttemptEnded.class,
                        EventForms::attemptEnded,
                        EventForms::write));
    }

    private static AttemptEnded attemptEnded(FieldReader in) {
        var code = in.find(EXIT_CODE);
        var reason = in.find(REASON);
        if (code.isPresent() == reason.isPresent()) {
            throw new IllegalArgumentException("an attempt ends with a code or a reason");
        }
        return new AttemptEnded(
                code.map(OptionalInt::of).orElseGet(OptionalInt::empty),
                reason,
                in.find(CAUSE),
                in.find(GPUS).orElse(List.of()));
    }

    private static void write(AttemptEnded it, FieldWriter out) {
        it.exitCode().ifPresent(code -> out.put(EXIT_CODE, code));
        out.putIfPresent(REASON, it.reason())
                .putIfPresent(CAUSE, it.cause())
                .putIfPresent(GPUS, Optional.of(it.gpus()).filter(gpus -> !gpus.isEmpty()));
    }

    static List<PayloadForm<?>> ofFileRuns() {
        return List.of(
                new PayloadForm<>(
                        "run.started",
                        FileRunStarted.class,
                        in ->
                                new FileRunStarted(
                                        in.get(RUN), in.get(MODE), in.get(FILE), in.get(TASKS)),
                        (it, out) ->
                                out.put(RUN, it.run())
                                        .put(MODE, it.mode())
                                        .put(FILE, it.file())
                                        .put(TASKS, it.tasks())),
                new PayloadForm<>(
                        "run.stopping",
                        FileRunStopping.class,
                        in -> new FileRunStopping(in.get(RUN), in.get(MODE), in.get(FILE)),
                        (it, out) ->
                                out.put(RUN, it.run()).put(MODE, it.mode()).put(FILE, it.file())),
                new PayloadForm<>(
                        "run.ended",
                        FileRunEnded.class,
                        in -> new FileRunEnded(in.get(RUN), in.get(HOW)),
                        (it, out) -> out.put(RUN, it.run()).put(HOW, it.wasStopped())));
    }

    static List<PayloadForm<?>> ofServer() {
        return List.of(
                new PayloadForm<>(
                        "server.started",
                        ServerStarted.class,
                        in -> new ServerStarted(in.get(EPOCH)),
                        (it, out) -> out.put(EPOCH, it.epoch())),
                PayloadForm.empty(
                        "scheduler.started", new SchedulerStarted(), SchedulerStarted.class),
                PayloadForm.empty(
                        "scheduler.stopped", new SchedulerStopped(), SchedulerStopped.class),
                new PayloadForm<>(
                        "learned.forgotten",
                        LearnedForgotten.class,
                        in ->
                                new LearnedForgotten(
                                        in.get(FINGERPRINT),
                                        in.get(NAME),
                                        in.get(OWNER),
                                        in.get(COUNT)),
                        (it, out) ->
                                out.put(FINGERPRINT, it.fingerprint())
                                        .put(NAME, it.name())
                                        .put(OWNER, it.owner())
                                        .put(COUNT, it.count())),
                new PayloadForm<>(
                        "token.created",
                        TokenCreated.class,
                        in -> new TokenCreated(token(in)),
                        (it, out) -> write(it.token(), out)),
                new PayloadForm<>(
                        "token.revoked",
                        TokenRevoked.class,
                        in -> new TokenRevoked(token(in)),
                        (it, out) -> write(it.token(), out)));
    }

    static TokenRef token(FieldReader in) {
        return new TokenRef(
                new TokenId(in.get(TOKEN)), in.get(TOKEN_KIND), in.get(NAME), in.get(OWNER));
    }

    static void write(TokenRef token, FieldWriter out) {
        out.put(TOKEN, token.id().value())
                .put(TOKEN_KIND, token.kind())
                .put(NAME, token.name())
                .put(OWNER, token.owner());
    }
}
