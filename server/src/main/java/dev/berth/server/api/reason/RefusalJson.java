package dev.berth.server.api.reason;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.Refusal;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.json.IsoTime;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Code and parameters of the reason why a task cannot use a GPU. */
final class RefusalJson {

    private RefusalJson() {}

    static String code(Refusal refusal) {
        return switch (refusal) {
            case Refusal.WrongModel _ -> "card.wrong_model";
            case Refusal.NotRequested _ -> "card.not_named";
            case Refusal.TooSmall _ -> "card.too_small";
            case Refusal.OutsidePool _ -> "card.outside_pool";
            case Refusal.Reserved _ -> "card.reserved";
            case Refusal.NotForLanes _ -> "card.outside_lanes";
            case Refusal.LeftForOthers _ -> "card.kept_back";
            case Refusal.ReservedFor _ -> "card.kept_for";
            case Refusal.ReservedForOthers _ -> "card.reservation";
            case Refusal.OwnPython _ -> "card.own_python";
            case Refusal.Unreadable _ -> "card.unreadable";
            case Refusal.Failed _ -> "card.error";
            case Refusal.Quarantined _ -> "card.quarantined";
            case Refusal.ModelSetAside _ -> "card.model_set_aside";
            case Refusal.WarmElsewhere _ -> "card.warm_elsewhere";
            case Refusal.Held _ -> "card.held";
            case Refusal.HeldByLost _ -> "card.held_lost";
            case Refusal.HeldByStuck _ -> "card.held_stuck";
            case Refusal.NotYetReleased _ -> "card.leaving";
            case Refusal.LeftoverProcess _ -> "card.left_behind";
            case Refusal.OtherUsersProcess _ -> "card.others_work";
            case Refusal.NotEnoughMemory _ -> "card.memory_short";
            case Refusal.InUse _ -> "card.in_use";
        };
    }

    /** Rounded up. */
    private static long seconds(Duration time) {
        return time.plusMillis(999).toSeconds();
    }

    /** The values of the sentence, without those of the GPU. */
    static SortedMap<String, String> params(Refusal refusal) {
        return switch (refusal) {
            case Refusal.WrongModel(var wanted, var model) ->
                    WaitReasonJson.params("wanted", wanted, "model", model);
            case Refusal.NotRequested(var devices) ->
                    WaitReasonJson.params("devices", devices.apiName());
            case Refusal.TooSmall(long needed, long total) ->
                    WaitReasonJson.params("needed_mib", needed, "total_mib", total);
            case Refusal.OutsidePool _,
                    Refusal.Reserved _,
                    Refusal.NotForLanes _,
                    Refusal.LeftForOthers _ ->
                    WaitReasonJson.params();
            case Refusal.ReservedFor(var task) -> WaitReasonJson.params("task", task);
            case Refusal.ReservedForOthers reserved -> reservation(reserved);
            case Refusal.OwnPython(var process) -> process(process);
            case Refusal.Unreadable(var why) -> WaitReasonJson.params("why", why);
            case Refusal.Failed(var why) -> WaitReasonJson.params("why", why);
            case Refusal.Quarantined(var why) -> WaitReasonJson.params("why", why);
            case Refusal.ModelSetAside(var model, var why) ->
                    WaitReasonJson.params("model", model, "why", why);
            case Refusal.WarmElsewhere(var model, var load, var wait) ->
                    WaitReasonJson.params(
                            "model", model, "load", seconds(load), "wait", seconds(wait));
            case Refusal.Held(var by) -> holder(by);
            case Refusal.HeldByLost(var by) -> holder(by);
            case Refusal.HeldByStuck(var by) -> holder(by);
            case Refusal.NotYetReleased leaving ->
                    WaitReasonJson.params(
                            "task",
                            leaving.attempt().task(),
                            "attempt",
                            leaving.attempt().number());
            case Refusal.LeftoverProcess left -> leftover(left);
            case Refusal.OtherUsersProcess(var process) -> process(process);
            case Refusal.NotEnoughMemory memory -> memoryShort(memory);
            case Refusal.InUse use ->
                    withProcesses(
                            WaitReasonJson.params(
                                    "used_mib",
                                    use.usedMib(),
                                    "total_mib",
                                    use.totalMib(),
                                    "threshold_percent",
                                    use.thresholdPercent()),
                            use.others());
        };
    }

    private static SortedMap<String, String> reservation(Refusal.ReservedForOthers reserved) {
        var window = reserved.window();
        var params =
                WaitReasonJson.params(
                        "reservation",
                        window.id(),
                        "from",
                        IsoTime.format(window.span().begin()),
                        "until",
                        IsoTime.format(window.span().end()));
        switch (window.reservation().holder()) {
            case ReservationHolder.ForUser(var user) -> params.put("user", user);
            case ReservationHolder.ForGroup(var group) -> params.put("group", group);
            case ReservationHolder.ForNobody _ -> {}
        }
        if (!window.isActive()) {
            params.put("variant", "later");
        }
        return params;
    }

    private static SortedMap<String, String> holder(AttemptId by) {
        return WaitReasonJson.params("task", by.task(), "attempt", by.number());
    }

    private static SortedMap<String, String> leftover(Refusal.LeftoverProcess left) {
        var params = process(left.process());
        params.put("task", left.attempt().task().toString());
        params.put("attempt", Integer.toString(left.attempt().number()));
        return params;
    }

    private static SortedMap<String, String> memoryShort(Refusal.NotEnoughMemory memory) {
        var params =
                WaitReasonJson.params(
                        "needed_mib",
                        memory.neededMib(),
                        "margin_mib",
                        memory.marginMib(),
                        "free_mib",
                        memory.headroomMib());
        if (memory.marginMib() > 0) {
            params.put("variant", "margin");
        }
        return withProcesses(params, memory.others());
    }

    /** Adds the process that uses the most memory, and how many others there are. */
    private static SortedMap<String, String> withProcesses(
            SortedMap<String, String> params, List<GpuProcess> others) {
        others.stream().findFirst().ifPresent(most -> params.putAll(process(most)));
        if (others.size() > 1) {
            params.put("others", Integer.toString(others.size() - 1));
        }
        return params;
    }

    /** User and memory are present only if they are known. */
    private static SortedMap<String, String> process(GpuProcess process) {
        var params = new TreeMap<String, String>();
        params.put("pid", Long.toString(process.pid()));
        params.put("program", process.program());
        if (process.owner() instanceof ProcessOwner.HostUser(String name, _)) {
            params.put("user", name);
        }
        process.usedMib().ifPresent(mib -> params.put("process_mib", Long.toString(mib)));
        return params;
    }
}
