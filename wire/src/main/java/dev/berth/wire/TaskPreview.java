package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What would happen to a task if it were submitted now.
 *
 * @param startsNow it would start in the next scheduling pass
 * @param gpus the GPUs that it would get now, by index
 * @param eta expected start; null if it is unknown
 * @param etaLatest the start if tasks take long
 * @param etaReason why the start is unknown
 * @param reasons why it would wait
 * @param position number of tasks before it in its queue; null for a draft
 */
public record TaskPreview(
        boolean startsNow,
        List<Integer> gpus,
        @Nullable String eta,
        @Nullable String etaLatest,
        @Nullable Reason etaReason,
        @Flat RunPrediction prediction,
        List<Reason> reasons,
        @Nullable Integer position) {}
