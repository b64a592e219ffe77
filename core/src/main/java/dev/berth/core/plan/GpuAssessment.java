package dev.berth.core.plan;

import java.util.List;
import java.util.Optional;

/** One GPU with its refusal and its scores, for display. */
public record GpuAssessment(GpuView view, Optional<Refusal> refusal, List<PolicyScore> scores) {

    /** The score by one placement policy. */
    public record PolicyScore(String policy, Score score) {}

    static PolicyScore scored(
            PlacementPolicy rule, GpuRequirement ask, GpuView view, Snapshot snapshot) {
        return new PolicyScore(rule.configName(), rule.score(ask, view, snapshot.at()));
    }
}
