package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * Where a task would go now, and why not elsewhere.
 *
 * @param selector the rule that chooses among the cards that fit
 * @param wouldStart whether it starts in the next pass
 * @param reasons why not, as in {@code wait_reasons}
 */
public record Placement(
        long taskId,
        String status,
        String selector,
        Need need,
        boolean wouldStart,
        List<Reason> reasons,
        List<Gpu> gpus) {

    /**
     * What is asked of each card.
     *
     * @param memoryMb null where none is named: then use must be below the threshold
     * @param memoryFrom stated, estimate or none
     * @param marginMb kept free beyond an estimate
     * @param thresholdPercent only where no memory is named
     */
    public record Need(
            int minGpu,
            int maxGpu,
            @Nullable Long memoryMb,
            String memoryFrom,
            long marginMb,
            @Nullable Integer thresholdPercent) {}

    /**
     * @param fits nothing speaks against it
     * @param chosen it would be taken
     * @param refusal what speaks against it
     * @param score by the selector in force
     * @param scores by each selector, with all parts
     */
    public record Gpu(
            int index,
            String uuid,
            String name,
            long memoryTotalMb,
            @Nullable Long memoryFreeMb,
            @Nullable Long headroomMb,
            boolean fits,
            boolean chosen,
            @Nullable Reason refusal,
            double score,
            double modelAffinityScore,
            double loadBalanceScore,
            Map<String, Score> scores) {}

    public record Score(double total, Map<String, Double> parts) {}
}
