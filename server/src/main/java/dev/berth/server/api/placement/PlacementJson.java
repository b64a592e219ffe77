package dev.berth.server.api.placement;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Headroom;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Score;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.Placement;
import dev.berth.wire.Reason;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Converts the planner's evaluation of every GPU for one task to JSON. */
record PlacementJson(Planner planner, Snapshot snapshot, Task task) {

    private static final String BALANCED = "balanced";
    private static final String MODEL_AFFINITY = "model_affinity";

    /** The task starts in the next scheduling pass. */
    Placement starting(Verdict.Start start) {
        return json(true, List.of(), gpus(start));
    }

    /** The task waits; the chosen GPUs are those it would get if it were first in its queue. */
    Placement waiting(Verdict.Wait wait) {
        return waiting(WaitReasonJson.of(wait));
    }

    Placement waiting(List<Reason> reasons) {
        var chosen =
                planner.planManualStart(snapshot.unpaused(), task, false)
                                instanceof Verdict.Start start
                        ? gpus(start)
                        : Set.<GpuId>of();
        return json(false, reasons, chosen);
    }

    /** The task is not waiting. */
    Placement notWaiting() {
        return json(false, List.of(), Set.of());
    }

    private static Set<GpuId> gpus(Verdict.Start start) {
        return start.claims().stream().map(Claim::gpu).collect(Collectors.toSet());
    }

    private Placement json(boolean wouldStart, List<Reason> reasons, Set<GpuId> chosen) {
        return new Placement(
                task.id().value(),
                task.state().apiName(),
                selector(),
                need(),
                wouldStart,
                reasons,
                planner.assess(snapshot, task).stream().map(one -> gpu(one, chosen)).toList());
    }

    /** Lanes have their own selector. */
    private String selector() {
        return planner.placement(Shape.of(task.spec())).configName();
    }

    private Placement.Need need() {
        if (!(task.spec().requirements().need() instanceof Need.Gpus need)) {
            return new Placement.Need(0, 0, null, "none", 0, null);
        }
        var ask = planner.requirement(need, Shape.of(task.spec()));
        var memory = boxed(ask.neededMib());
        return new Placement.Need(
                need.count().min(),
                need.count().max(),
                memory,
                memory == null ? "none" : ask.isEstimated() ? "estimate" : "stated",
                ask.marginMib(),
                memory == null ? planner.rules().memoryThresholdPercent() : null);
    }

    private Placement.Gpu gpu(GpuAssessment survey, Set<GpuId> chosen) {
        var spot = survey.view();
        var gpu = spot.state().gpu();
        var reading = spot.state().currentReading();
        var scores = new LinkedHashMap<String, Placement.Score>();
        survey.scores().forEach(scored -> scores.put(scored.policy(), score(scored.score())));
        return new Placement.Gpu(
                gpu.index(),
                gpu.id().uuid(),
                gpu.model(),
                gpu.totalMib(),
                reading.map(current -> boxed(current.freeMib())).orElse(null),
                reading.map(current -> boxed(Headroom.mib(current, spot.holds()))).orElse(null),
                survey.refusal().isEmpty(),
                chosen.contains(gpu.id()),
                survey.refusal().map(refusal -> WaitReasonJson.of(gpu, refusal)).orElse(null),
                total(scores, selector()),
                affinity(scores),
                rounded(total(scores, BALANCED) - affinity(scores)),
                scores);
    }

    private static double total(Map<String, Placement.Score> scores, String rule) {
        var score = scores.get(rule);
        return score == null ? 0 : score.total();
    }

    /**
     * The part of the balanced score that comes from the model; the rest comes from the GPU's load.
     */
    private static double affinity(Map<String, Placement.Score> scores) {
        var score = scores.get(BALANCED);
        return score == null ? 0 : score.parts().getOrDefault(MODEL_AFFINITY, 0.0);
    }

    private static Placement.Score score(Score score) {
        var parts = new LinkedHashMap<String, Double>();
        score.parts().forEach(part -> parts.put(part.name(), rounded(part.value())));
        return new Placement.Score(rounded(score.total()), parts);
    }

    /** For people: digits beyond a thousandth carry no information. */
    private static double rounded(double points) {
        return Math.round(points * 1000) / 1000.0;
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }
}
