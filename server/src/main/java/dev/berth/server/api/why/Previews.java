package dev.berth.server.api.why;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineCommand;
import dev.berth.http.RejectedException;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskPreview;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.OptionalInt;

/** Plans with a task that does not exist. */
record Previews(EngineClient engine, PlanningLimit limit) {

    /**
     * @throws RejectedException if a submit would be refused
     */
    TaskPreview of(EngineCommand.NewTask entry) throws RejectedException {
        var refusal = engine.engine().refusal(entry);
        if (refusal.isPresent()) {
            throw new RejectedException(refusal.get());
        }
        if (entry.isDraft()) {
            var reason =
                    WaitReasonJson.reason("why.draft", WaitReasonJson.params("variant", "new"));
            return waiting(List.of(reason), null);
        }
        try (var _ = limit.begin()) {
            return planned(entry);
        }
    }

    private TaskPreview planned(EngineCommand.NewTask entry) {
        var state = engine.state();
        var snapshot = engine.snapshot();
        var id = new TaskId(state.lastIds().task() + 1);
        var task = Task.queued(id, entry.owner(), entry.spec().stored(), snapshot.at());
        var after = snapshot.with(snapshot.waiting().with(task));
        var position = after.waiting().position(task, after::usedGpuSeconds);
        return switch (engine.planner().explain(after, task)) {
            case Verdict.Start start -> {
                var gpus =
                        start.claims().stream()
                                .flatMap(claim -> state.gpus().get(claim.gpu()).stream())
                                .map(known -> known.gpu().index())
                                .sorted()
                                .toList();
                yield new TaskPreview(
                        true, gpus, null, null, null, null, null, List.of(), boxed(position));
            }
            case Verdict.Wait wait -> waiting(WaitReasonJson.of(wait), boxed(position));
        };
    }

    private static TaskPreview waiting(List<Reason> reasons, @Nullable Integer position) {
        return new TaskPreview(false, List.of(), null, null, null, null, null, reasons, position);
    }

    private static @Nullable Integer boxed(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }
}
