package dev.berth.server.api.reason;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.RefusedGpu;
import dev.berth.core.share.Limit;
import dev.berth.http.Sentences;
import dev.berth.json.IsoTime;
import dev.berth.wire.Reason;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Converts wait reasons to JSON with a text for people. */
public final class WaitReasonJson {

    private WaitReasonJson() {}

    public static List<Reason> of(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Start _ -> List.of();
            case Verdict.Wait(_, var reasons) -> reasons.stream().map(WaitReasonJson::of).toList();
        };
    }

    public static Reason of(WaitReason reason) {
        return switch (reason) {
            case WaitReason.NotEnoughGpus gpusShort -> gpusShort(gpusShort);
            case WaitReason.NeverPossible(int needed, int suitable, var refused) ->
                    reason(
                            "cards.impossible",
                            params("wanted", needed, "suitable", suitable),
                            parts(refused));
            case WaitReason.CpuLimitReached(int running, int max) ->
                    reason("cpu.full", params("running", running, "most", max));
            case WaitReason.BehindHead(var head, int position) ->
                    reason("line.behind", params("head", head, "position", position));
            case WaitReason.BehindReservation(var head, var start) ->
                    reason(
                            "line.reserved",
                            start.map(at -> params("head", head, "start", IsoTime.format(at)))
                                    .orElseGet(() -> params("head", head, "variant", "unknown")));
            case WaitReason.LaneBusy(var task) -> reason("lane.busy", params("task", task));
            case WaitReason.BackingOff(var until) ->
                    reason("lane.backoff", params("until", IsoTime.format(until)));
            case WaitReason.CouldNotStart(var until, var detail) ->
                    reason("start.failed", params("until", IsoTime.format(until), "cause", detail));
            case WaitReason.RunStarting(long run) -> reason("lane.spacing", params("run", run));
            case WaitReason.Unloading(var workers) ->
                    reason(
                            "model.unloading",
                            params(
                                    "models",
                                    workers.stream()
                                            .map(WarmWorker::model)
                                            .distinct()
                                            .sorted()
                                            .collect(Collectors.joining(", "))));
            case WaitReason.YieldingToOthers(int leftForOthers, int idle) ->
                    reason("lane.polite", params("gpu_left", leftForOthers, "idle", idle));
            case WaitReason.LimitReached reached -> limitReached(reached);
            case WaitReason.OverBudget over -> overBudget(over);
            case WaitReason.InCluster(var status) -> inCluster(status);
            case WaitReason.ClusterWindowFull(int tasks, int limit) ->
                    reason("cluster.window", params("tasks", tasks, "limit", limit));
            case WaitReason.Paused pause ->
                    reason("paused." + name(pause), params("cause", pause.detail()));
        };
    }

    /** The kind of a pause, as the last part of its code. */
    public static String name(WaitReason.Paused pause) {
        return pause.cause().name().toLowerCase(Locale.ROOT);
    }

    private static Reason limitReached(WaitReason.LimitReached reached) {
        var limit = reached.limit();
        var params =
                params(
                        "in_use",
                        reached.inUse(),
                        "most",
                        limit.count(),
                        "needed",
                        reached.needed());
        return reason("limit." + limit.key().configName(), limitParams(limit, params));
    }

    private static Reason overBudget(WaitReason.OverBudget over) {
        var limit = over.limit();
        var params =
                params(
                        "used",
                        hours(over.usedHours()),
                        "most",
                        hours(limit.value()),
                        "task",
                        over.waiting());
        return reason("limit." + limit.key().configName(), limitParams(limit, params));
    }

    private static SortedMap<String, String> limitParams(
            Limit limit, SortedMap<String, String> params) {
        params.put("source", limit.source().apiName());
        limit.source().group().ifPresent(group -> params.put("group", group));
        return params;
    }

    /** With one decimal at most. */
    private static String hours(double hours) {
        var text = String.format(Locale.ROOT, "%.1f", hours);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    private static Reason inCluster(ClusterWait status) {
        var params = params("cause", status.reason());
        status.expectedStart().ifPresent(start -> params.put("start", IsoTime.format(start)));
        return reason("cluster." + status.code(), params);
    }

    private static Reason gpusShort(WaitReason.NotEnoughGpus reason) {
        var params = params("wanted", reason.needed(), "fitting", reason.fitting());
        if (reason.fitting() == 0) {
            params.put("variant", "none");
        }
        return reason("cards.short", params, parts(reason.refused()));
    }

    public static Reason reason(String code, Map<String, String> params) {
        return reason(code, params, List.of());
    }

    private static Reason reason(String code, Map<String, String> params, List<Reason> parts) {
        return new Reason(Sentences.reason(code, params), code, params, parts);
    }

    private static List<Reason> parts(List<RefusedGpu> refused) {
        return refused.stream().map(WaitReasonJson::part).toList();
    }

    private static Reason part(RefusedGpu one) {
        return of(one.gpu(), one.refusal());
    }

    /** Why the task cannot use this GPU. */
    public static Reason of(Gpu gpu, Refusal refusal) {
        var code = RefusalJson.code(refusal);
        var params = new TreeMap<>(RefusalJson.params(refusal));
        params.put("gpu", Integer.toString(gpu.index()));
        params.put("uuid", gpu.id().uuid());
        return reason(code, params);
    }

    public static SortedMap<String, String> params(Object... namesAndValues) {
        var params = new TreeMap<String, String>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            params.put((String) namesAndValues[i], String.valueOf(namesAndValues[i + 1]));
        }
        return params;
    }
}
