package dev.berth.server.api.why;

import dev.berth.core.forecast.TimeRange;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.core.why.Explanation;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.server.api.ExpectedTimesJson;
import dev.berth.server.api.reason.RefusalGroups;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.Reason;
import dev.berth.wire.Why;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Converts an explanation to JSON. */
record WhyJson(EngineState state, Instant now) {

    /** For a task that waits in its queue. */
    Why waiting(Task task, Explanation explanation) {
        var reasons = WaitReasonJson.of(explanation.verdict());
        var expected = explanation.expected();
        var summary =
                explanation.verdict() instanceof Verdict.Start || reasons.isEmpty()
                        ? WaitReasonJson.reason("why.starting", WaitReasonJson.params())
                        : withoutParts(reasons.getFirst());
        return new Why(
                task.id().value(),
                task.state().apiName(),
                summary,
                reasons,
                RefusalGroups.of(explanation.gpus()),
                explanation.ahead().first().stream()
                        .map(one -> ahead(one, expected.ends()))
                        .toList(),
                explanation.ahead().total(),
                explanation.ahead().people(),
                text(expected.start().map(TimeRange::expected)),
                text(expected.start().flatMap(TimeRange::latest)),
                expected.unknown().map(ExpectedTimesJson::reason).orElse(null),
                text(expected.promised()),
                explanation.suggestions().stream()
                        .map(suggestion -> EditJson.of(task, suggestion, now))
                        .toList());
    }

    /** For a task that is in no queue. */
    Why notWaiting(Task task) {
        var code =
                switch (task.state()) {
                    case TaskState.Pending _ -> "why.draft";
                    case TaskState.Queued _, TaskState.Handed _ -> "why.starting";
                    case TaskState.Running _ -> "why.running";
                    case TaskState.Completed _ -> "why.completed";
                    case TaskState.Failed _ -> "why.failed";
                    case TaskState.Cancelled _ -> "why.cancelled";
                };
        var params = WaitReasonJson.params("task", task.id());
        var gpus = gpus(task).stream().map(String::valueOf).collect(Collectors.joining(","));
        if (!gpus.isEmpty()) {
            params.put("gpus", gpus);
        }
        return new Why(
                task.id().value(),
                task.state().apiName(),
                WaitReasonJson.reason(code, params),
                List.of(),
                List.of(),
                List.of(),
                0,
                0,
                null,
                null,
                null,
                null,
                List.of());
    }

    private static Reason withoutParts(Reason reason) {
        return new Reason(reason.detail(), reason.code(), reason.params(), List.of());
    }

    private Why.TaskAhead ahead(Task task, SortedMap<TaskId, Instant> ends) {
        return new Why.TaskAhead(
                task.id().value(),
                task.spec().name(),
                task.owner().name(),
                task.state().apiName(),
                gpus(task),
                text(Optional.ofNullable(ends.get(task.id()))));
    }

    static @Nullable String text(Optional<Instant> time) {
        return time.map(IsoTime::format).orElse(null);
    }

    /** The GPUs that the task holds. */
    private List<Integer> gpus(Task task) {
        if (!(task.state() instanceof TaskState.Running)) {
            return List.of();
        }
        return state.attempts().get(new AttemptId(task.id(), task.attempts())).stream()
                .flatMap(attempt -> attempt.claims().stream())
                .flatMap(claim -> state.gpus().get(claim.gpu()).stream())
                .map(known -> known.gpu().index())
                .sorted()
                .toList();
    }
}
