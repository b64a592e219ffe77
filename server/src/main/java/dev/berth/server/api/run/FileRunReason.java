package dev.berth.server.api.run;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.RefusedGpu;
import dev.berth.http.Sentences;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.Reason;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Why no task of a file run starts, in a few sentences. */
final class FileRunReason {

    private static final int MAX_GPUS = 16;

    private FileRunReason() {}

    /**
     * @param verdict on the first of its tasks that could start
     * @param left how many GPUs lanes leave to other users
     */
    static Optional<String> of(Verdict verdict, int left) {
        return switch (verdict) {
            case Verdict.Start _ -> Optional.empty();
            case Verdict.Wait(_, var reasons) ->
                    reasons.isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    reasons.stream()
                                            .map(reason -> sentence(reason, left))
                                            .collect(Collectors.joining(" ")));
        };
    }

    private static String sentence(WaitReason reason, int left) {
        var kept =
                switch (reason) {
                    case WaitReason.NotEnoughGpus(_, _, var refused) -> allKeptBack(refused);
                    case WaitReason.NeverPossible(_, _, var refused) -> allKeptBack(refused);
                    case WaitReason.CpuLimitReached _,
                            WaitReason.BehindHead _,
                            WaitReason.BehindReservation _,
                            WaitReason.LaneBusy _,
                            WaitReason.BackingOff _,
                            WaitReason.CouldNotStart _,
                            WaitReason.RunStarting _,
                            WaitReason.YieldingToOthers _,
                            WaitReason.Unloading _,
                            WaitReason.LimitReached _,
                            WaitReason.OverBudget _,
                            WaitReason.InCluster _,
                            WaitReason.ClusterWindowFull _,
                            WaitReason.Paused _ ->
                            List.<Gpu>of();
                };
        return kept.isEmpty() ? sentences(WaitReasonJson.of(reason)) : keptBack(kept, left);
    }

    /** The lanes' GPUs if all of them are reserved for other users; otherwise empty. */
    private static List<Gpu> allKeptBack(List<RefusedGpu> refused) {
        var kept = new ArrayList<Gpu>();
        for (var one : refused) {
            switch (one.refusal()) {
                case Refusal.LeftForOthers _ -> kept.add(one.gpu());
                case Refusal.OutsidePool _, Refusal.Reserved _, Refusal.NotForLanes _ -> {}
                case Refusal other -> {
                    return List.of();
                }
            }
        }
        return kept;
    }

    private static String keptBack(List<Gpu> kept, int left) {
        var gpus =
                kept.stream()
                        .map(gpu -> Integer.toString(gpu.index()))
                        .collect(Collectors.joining(", "));
        return Sentences.reason(
                "run.kept_back", WaitReasonJson.params("gpu_left", left, "gpus", gpus));
    }

    private static String sentences(Reason reason) {
        var sentence = new StringBuilder(reason.detail());
        reason.parts().stream()
                .limit(MAX_GPUS)
                .forEach(part -> sentence.append(' ').append(part.detail()));
        int more = reason.parts().size() - MAX_GPUS;
        return more > 0
                ? sentence + " " + Sentences.reason("run.more", WaitReasonJson.params("more", more))
                : sentence.toString();
    }
}
