package dev.berth.server.api;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Run;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries.TaskRecord;
import dev.berth.wire.AttemptInfo;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Tasks and attempts as they travel. */
final class TaskWords {

    private final Desk desk;
    private final FindingWords findings;

    TaskWords(Desk desk) {
        this.desk = desk;
        this.findings = new FindingWords(desk);
    }

    TaskSummary summary(TaskRecord found) {
        var task = found.task();
        var spec = task.spec();
        var need = NeedWords.of(spec.need());
        var latest = found.latest();
        var lane = LaneWords.of(task, desk);
        var failure = Failure.of(found);
        return new TaskSummary(
                task.id().value(),
                spec.name(),
                task.state().word(),
                phase(found),
                spec.priority().name(),
                task.owner().name(),
                source(task),
                need.devices(),
                need.gpuType(),
                need.minGpu(),
                need.maxGpu(),
                need.memoryGb(),
                need.isShared(),
                timeout(spec),
                Times.text(task.createdAt()),
                task.queuedAt().map(Times::text).orElse(null),
                startedAt(latest),
                finishedAt(task.state()),
                gpus(task, latest),
                exitCode(latest),
                failure.error(),
                failure.type(),
                lane.word(),
                lane.run(),
                lane.uniId(),
                task.retries(),
                lane.maxRetries(),
                lane.backoffUntil(),
                findings.pace(latest).map(pace -> pace.progress().percent()).orElse(null),
                FindingWords.diagnosis(latest).map(one -> one.cause().word()).orElse(null));
    }

    /** As it stands now. */
    TaskDetail detail(TaskRecord found) throws StoreFailure {
        return detail(found, desk.queries().attempts(found.task().id()));
    }

    /** As it was when it was taken in, whatever has become of it in the meantime. */
    TaskDetail asSubmitted(Task task, boolean isDraft) {
        var taken =
                isDraft
                        ? Task.draft(task.id(), task.owner(), task.spec(), task.createdAt())
                        : Task.queued(task.id(), task.owner(), task.spec(), task.createdAt());
        return detail(new TaskRecord(taken, Optional.empty()), List.of());
    }

    private TaskDetail detail(TaskRecord found, List<Attempt> attempts) {
        var task = found.task();
        var spec = task.spec();
        var need = NeedWords.of(spec.need());
        var latest = found.latest();
        var place = Place.of(task, desk);
        var lane = LaneWords.of(task, desk);
        var failure = Failure.of(found);
        return new TaskDetail(
                task.id().value(),
                spec.name(),
                spec.command(),
                task.state().word(),
                phase(found),
                spec.priority().name(),
                task.owner().name(),
                source(task),
                need.devices(),
                spec.workDir(),
                need.gpuType(),
                need.minGpu(),
                need.minGpu(),
                need.maxGpu(),
                need.memoryGb(),
                need.isShared(),
                spec.work().flatMap(ModelWork::model).orElse(null),
                spec.work().flatMap(ModelWork::kind).orElse(null),
                spec.work().map(ModelWork::atoms).filter(atoms -> atoms > 0).orElse(null),
                timeout(spec),
                lane.word(),
                lane.run(),
                lane.uniId(),
                task.retries(),
                lane.maxRetries(),
                lane.backoffUntil(),
                Times.text(task.createdAt()),
                task.queuedAt().map(Times::text).orElse(null),
                startedAt(latest),
                finishedAt(task.state()),
                gpus(task, latest),
                latest.flatMap(attempt -> attempt.phase().begun())
                        .flatMap(Run::window)
                        .orElse(null),
                latest.map(attempt -> desk.logs().path(attempt.id())).orElse(null),
                exitCode(latest),
                failure.error(),
                failure.type(),
                List.copyOf(spec.environment().keySet()),
                place.position(),
                place.score(),
                place.reasons(),
                findings.progress(latest),
                findings.diagnosis(latest, spec),
                findings.usage(latest, spec),
                attempts.stream().map(this::attempt).toList());
    }

    private AttemptInfo attempt(Attempt attempt) {
        var run = attempt.phase().begun();
        var ended =
                attempt.phase() instanceof Phase.Ended end
                        ? Optional.of(end)
                        : Optional.<Phase.Ended>empty();
        return new AttemptInfo(
                attempt.id().number(),
                attempt.node(),
                attempt.phase().word(),
                gpus(attempt),
                run.map(Run::process).map(key -> key.pid()).orElse(null),
                Times.text(attempt.grantedAt()),
                startedAt(Optional.of(attempt)),
                ended.map(Phase.Ended::at).map(Times::text).orElse(null),
                exitCode(Optional.of(attempt)),
                trouble(attempt.phase()));
    }

    /** What is wrong with an attempt, if anything is. */
    private static @Nullable String trouble(Phase phase) {
        return switch (phase) {
            case Phase.Starting _, Phase.Running _, Phase.Stopping _ -> null;
            case Phase.Lost(_, String why) -> why;
            case Phase.Stuck(_, _, String what) -> what;
            case Phase.Ended(_, Ending ending, _) ->
                    ending.error().isEmpty() ? null : ending.error();
        };
    }

    private static String phase(TaskRecord found) {
        return switch (found.task().state()) {
            case TaskState.Running _ ->
                    found.latest().map(attempt -> attempt.phase().word()).orElse("starting");
            case TaskState.Pending _,
                    TaskState.Queued _,
                    TaskState.Completed _,
                    TaskState.Failed _,
                    TaskState.Cancelled _ ->
                    found.task().state().word();
        };
    }

    private static String source(Task task) {
        return task.spec().source().name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable String startedAt(Optional<Attempt> latest) {
        return latest.flatMap(attempt -> attempt.phase().begun())
                .map(Run::startedAt)
                .map(Times::text)
                .orElse(null);
    }

    private static @Nullable String finishedAt(TaskState state) {
        return finished(state).map(Times::text).orElse(null);
    }

    static Optional<Instant> finished(TaskState state) {
        return switch (state) {
            case TaskState.Pending _, TaskState.Queued _, TaskState.Running _ -> Optional.empty();
            case TaskState.Completed(Instant at) -> Optional.of(at);
            case TaskState.Failed(Instant at, _) -> Optional.of(at);
            case TaskState.Cancelled(Instant at) -> Optional.of(at);
        };
    }

    /** When an attempt came to be what it is, where that is kept. */
    static Optional<Instant> turned(Phase phase) {
        return switch (phase) {
            case Phase.Starting _, Phase.Running _, Phase.Lost _, Phase.Stuck _ -> Optional.empty();
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

    /** While it waits for another try it has none. */
    private @Nullable List<Integer> gpus(Task task, Optional<Attempt> latest) {
        return task.state() instanceof TaskState.Queued
                ? null
                : latest.map(this::gpus).orElse(null);
    }

    /** By their numbers of now; a card once seen stays known. */
    List<Integer> gpus(Attempt attempt) {
        var cards = desk.engine().state().cards();
        return attempt.claims().stream()
                .map(Claim::card)
                .flatMap(id -> cards.get(id).stream())
                .map(state -> state.card().index())
                .sorted()
                .toList();
    }

    private static @Nullable Integer timeout(TaskSpec spec) {
        return spec.timeLimit().map(limit -> Math.toIntExact(limit.toSeconds())).orElse(null);
    }

    /** Where a task stands in its line, all by one look; nothing of it where it does not wait. */
    private record Place(@Nullable Integer position, @Nullable Double score, List<Reason> reasons) {

        static Place of(Task task, Desk desk) {
            if (task.state() instanceof TaskState.Queued) {
                var snapshot = desk.snapshot();
                var position = snapshot.waiting().position(task, snapshot::used);
                if (position.isPresent()) {
                    var why = desk.engine().engine().planner().why(snapshot, task);
                    return new Place(
                            position.getAsInt(), QueueWords.score(task), ReasonWords.of(why));
                }
            }
            return new Place(null, null, List.of());
        }
    }
}
