package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The GPUs a task would start on now, and why not on others.
 *
 * @param selector the placement policy that ranks the GPUs that fit
 * @param wouldStart whether it starts in the next scheduling pass
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
     * Requirements for each GPU.
     *
     * @param memoryMb null if none is stated: then memory use must be below the threshold
     * @param memoryFrom stated, estimate or none
     * @param marginMb kept free in addition to an estimate
     * @param thresholdPercent only if no memory is stated
     */
    public record Need(
            int minGpu,
            int maxGpu,
            @Nullable Long memoryMb,
            String memoryFrom,
            long marginMb,
            @Nullable Integer thresholdPercent) {}

    /**
     * @param fits no constraint refuses it
     * @param chosen it would be used
     * @param refusal why it cannot be used
     * @param score by the configured selector
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
