package dev.berth.server.api;

import dev.berth.core.card.Card;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.CardRefused;
import dev.berth.wire.Reason;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Why a task waits, in words. */
final class ReasonWords {

    private ReasonWords() {}

    static List<Reason> of(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Start _ -> List.of();
            case Verdict.Wait(_, var reasons) -> reasons.stream().map(ReasonWords::of).toList();
        };
    }

    static Reason of(WaitReason reason) {
        return switch (reason) {
            case WaitReason.CardsShort(int wanted, int fitting, var refused) ->
                    new Reason(
                            gpus(wanted) + " wanted, " + fitting + " would do now.",
                            "cards.short",
                            params("wanted", wanted, "fitting", fitting),
                            parts(refused));
            case WaitReason.Impossible(int wanted, int suitable, var refused) ->
                    new Reason(
                            gpus(wanted)
                                    + " wanted, "
                                    + suitable
                                    + " of the kind exist: it cannot start, and holds up nobody.",
                            "cards.impossible",
                            params("wanted", wanted, "suitable", suitable),
                            parts(refused));
            case WaitReason.CpuFull(int running, int most) ->
                    new Reason(
                            running
                                    + (running == 1 ? " task" : " tasks")
                                    + " without a GPU run already, and "
                                    + most
                                    + " may at a time (max_cpu_tasks).",
                            "cpu.full",
                            params("running", running, "most", most),
                            List.of());
            case WaitReason.Behind(var head, int position) ->
                    new Reason(
                            "Task "
                                    + head
                                    + " is at the head of the line and keeps its turn; "
                                    + position
                                    + (position == 1 ? " task is" : " tasks are")
                                    + " ahead.",
                            "line.behind",
                            params("head", head, "position", position),
                            List.of());
            case WaitReason.LaneBusy(var task) ->
                    new Reason(
                            "Task " + task + " is before it in its lane and has not ended.",
                            "lane.busy",
                            params("task", task),
                            List.of());
            case WaitReason.Resting(var until) ->
                    new Reason(
                            "It failed, and rests until "
                                    + Times.text(until)
                                    + " before it is tried again.",
                            "lane.backoff",
                            params("until", Times.text(until)),
                            List.of());
            case WaitReason.Spacing(long run) ->
                    new Reason(
                            "Another task of run " + run + " is being started just now.",
                            "lane.spacing",
                            params("run", run),
                            List.of());
            case WaitReason.Polite(int left, int idle) ->
                    new Reason(
                            "Lanes leave "
                                    + gpus(left)
                                    + " idle for others (gpu_left), and "
                                    + (idle == 1 ? "1 is" : idle + " are")
                                    + " now.",
                            "lane.polite",
                            params("gpu_left", left, "idle", idle),
                            List.of());
            case WaitReason.Paused(var cause, var detail) ->
                    new Reason(
                            pause(cause) + ": " + detail + ".",
                            "paused." + cause.name().toLowerCase(Locale.ROOT),
                            params("cause", detail),
                            List.of());
        };
    }

    private static String pause(WaitReason.Paused.Cause cause) {
        return switch (cause) {
            case RECOVERING -> "Nothing starts until Berth knows where it left off";
            case STOPPED -> "Nothing starts while the scheduler is stopped";
            case DISK_LOW -> "Nothing starts while disk space is low";
            case STORE_FAILING -> "Nothing starts while the database cannot be written";
            case INVARIANT_BROKEN -> "Nothing starts, because Berth found a rule of its own broken";
        };
    }

    private static List<Reason> parts(List<CardRefused> refused) {
        return refused.stream().map(ReasonWords::part).toList();
    }

    private static Reason part(CardRefused one) {
        return of(one.card(), one.refusal());
    }

    /** Why not this card. */
    static Reason of(Card card, Refusal refusal) {
        var why = RefusalWords.of(refusal);
        var params = new TreeMap<>(why.params());
        params.put("gpu", Integer.toString(card.index()));
        params.put("uuid", card.id().uuid());
        return new Reason(
                "GPU " + card.index() + " " + why.detail(), why.code(), params, List.of());
    }

    static Map<String, String> params(Object... namesAndValues) {
        var params = new TreeMap<String, String>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            params.put((String) namesAndValues[i], String.valueOf(namesAndValues[i + 1]));
        }
        return params;
    }

    private static String gpus(int count) {
        return count == 1 ? "1 GPU" : count + " GPUs";
    }
}
