package dev.berth.server.api.why;

import dev.berth.core.forecast.ForecastInput;
import dev.berth.core.forecast.TimeRange;
import dev.berth.core.forecast.UnknownStarts;
import dev.berth.core.forecast.WhatIf;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineState;
import dev.berth.http.RejectedException;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.ExpectedTimesJson;
import dev.berth.server.api.RunPredictionJson;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.RunPrediction;
import dev.berth.wire.TaskPreview;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Plans with a task that does not exist. */
record Previews(EngineClient engine, PlanningLimit limit) {

    /**
     * @throws RejectedException if a submit would be refused
     */
    TaskPreview of(EngineCommand.NewTask requested) throws RejectedException {
        var refusal = engine.engine().refusal(requested);
        if (refusal.isPresent()) {
            throw new RejectedException(refusal.get());
        }
        try (var _ = limit.begin()) {
            return planned(engine.engine().capped(requested));
        }
    }

    private TaskPreview planned(EngineCommand.NewTask entry) {
        var state = engine.state();
        var input = engine.engine().forecastInput(engine.now());
        var now = input.snapshot();
        var id = new TaskId(state.lastIds().task() + 1);
        var task = Task.queued(id, entry.owner(), entry.spec().stored(), now.at());
        var prediction =
                RunPredictionJson.of(
                        state.sinceStart().learned(), entry.owner(), entry.spec().stored());
        if (entry.isDraft()) {
            var params = WaitReasonJson.params("variant", "new");
            var draft = WaitReasonJson.reason("why.draft", params);
            return new TaskPreview(
                    false, List.of(), null, null, draft, prediction, List.of(draft), null);
        }
        var after = now.with(now.waiting().with(task));
        return switch (input.forecaster().planner().explain(after, task)) {
            case Verdict.Start start ->
                    starting(gpus(start, state), position(after, task), prediction);
            case Verdict.Wait wait -> {
                var changed =
                        new ForecastInput(
                                input.forecaster(), after, input.running(), input.times());
                yield waiting(changed, task, wait, prediction);
            }
        };
    }

    private static List<Integer> gpus(Verdict.Start start, EngineState state) {
        return start.claims().stream()
                .flatMap(claim -> state.gpus().get(claim.gpu()).stream())
                .map(known -> known.gpu().index())
                .sorted()
                .toList();
    }

    private static @Nullable Integer position(Snapshot snapshot, Task task) {
        var position = snapshot.waiting().position(task, snapshot::usedGpuSeconds);
        return position.isPresent() ? (Integer) position.getAsInt() : null;
    }

    private static TaskPreview starting(
            List<Integer> gpus, @Nullable Integer position, RunPrediction prediction) {
        return new TaskPreview(true, gpus, null, null, null, prediction, List.of(), position);
    }

    private static TaskPreview waiting(
            ForecastInput input, Task task, Verdict.Wait wait, RunPrediction prediction) {
        var expected = new WhatIf(input).start(task);
        return new TaskPreview(
                false,
                List.of(),
                WhyJson.text(expected.map(TimeRange::expected)),
                WhyJson.text(expected.flatMap(TimeRange::latest)),
                expected.isPresent()
                        ? null
                        : ExpectedTimesJson.reason(UnknownStarts.of(input).of(task)),
                prediction,
                WaitReasonJson.of(wait),
                position(input.snapshot(), task));
    }
}
