package dev.berth.server.api.reason;

import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Refusal;
import dev.berth.wire.Reason;
import dev.berth.wire.Why;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * GPUs grouped by the reason why a task cannot use them. GPUs with too little free memory are one
 * group, however much of it each has.
 */
public final class RefusalGroups {

    private static final String SEVERAL = "several";

    private RefusalGroups() {}

    /** In the order of the first GPU of each group. */
    public static List<Why.GpuGroup> of(List<GpuAssessment> gpus) {
        var groups = new LinkedHashMap<Object, List<GpuAssessment>>();
        for (var gpu : gpus) {
            groups.computeIfAbsent(key(gpu.refusal()), _ -> new ArrayList<>()).add(gpu);
        }
        return groups.values().stream().map(RefusalGroups::group).toList();
    }

    private static Object key(Optional<Refusal> refusal) {
        return refusal.<Object>map(
                        why ->
                                switch (why) {
                                    case Refusal.NotEnoughMemory _, Refusal.InUse _ ->
                                            RefusalJson.code(why);
                                    case Refusal other -> other;
                                })
                .orElse("");
    }

    private static Why.GpuGroup group(List<GpuAssessment> gpus) {
        var indices = gpus.stream().map(gpu -> gpu.view().state().gpu().index()).toList();
        var refusal =
                gpus.stream()
                        .flatMap(gpu -> gpu.refusal().stream())
                        .max(Comparator.comparingLong(RefusalGroups::freeMib));
        if (refusal.isEmpty()) {
            return new Why.GpuGroup(null, indices);
        }
        return new Why.GpuGroup(
                indices.size() == 1
                        ? WaitReasonJson.of(gpus.getFirst().view().state().gpu(), refusal.get())
                        : ofSeveral(refusal.get(), indices),
                indices);
    }

    private static long freeMib(Refusal refusal) {
        return refusal instanceof Refusal.NotEnoughMemory memory ? memory.headroomMib() : 0;
    }

    private static Reason ofSeveral(Refusal refusal, List<Integer> indices) {
        SortedMap<String, String> params =
                switch (refusal) {
                    // What else they hold differs from GPU to GPU.
                    case Refusal.NotEnoughMemory memory ->
                            WaitReasonJson.params(
                                    "needed_mib",
                                    memory.neededMib(),
                                    "free_mib",
                                    memory.headroomMib(),
                                    "variant",
                                    SEVERAL);
                    case Refusal.InUse use ->
                            WaitReasonJson.params(
                                    "threshold_percent",
                                    use.thresholdPercent(),
                                    "variant",
                                    SEVERAL);
                    case Refusal other -> new TreeMap<>(RefusalJson.params(other));
                };
        params.put("gpu", indices.stream().map(String::valueOf).collect(Collectors.joining(",")));
        return WaitReasonJson.reason(RefusalJson.code(refusal), params);
    }
}
