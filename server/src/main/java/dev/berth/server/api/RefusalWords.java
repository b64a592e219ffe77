package dev.berth.server.api;

import static dev.berth.server.api.ReasonWords.params;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.plan.Refusal;
import dev.berth.wire.Reason;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Why a card cannot be given to a task, in words. */
final class RefusalWords {

    private RefusalWords() {}

    /** Completes a sentence that begins with the card. */
    static Reason of(Refusal refusal) {
        return switch (refusal) {
            case Refusal.WrongModel(var wanted, var model) ->
                    card(
                            "is a " + model + ", not a " + wanted + ".",
                            "wrong_model",
                            params("wanted", wanted, "model", model));
            case Refusal.NotNamed(var devices) ->
                    card(
                            "is not one of those that the task names (devices "
                                    + devices.word()
                                    + ").",
                            "not_named",
                            params("devices", devices.word()));
            case Refusal.TooSmall(long needed, long total) ->
                    card(
                            "has " + total + " MiB in all, " + needed + " MiB are needed.",
                            "too_small",
                            params("needed_mib", needed, "total_mib", total));
            case Refusal.OutsidePool _ ->
                    card("is not one of those given to Berth (gpu_ids).", "outside_pool", params());
            case Refusal.Reserved _ ->
                    card("is reserved (reserved_gpu_ids).", "reserved", params());
            case Refusal.OutsideLanes _ ->
                    card(
                            "is not one of those that lanes use (use_all_gpus, compete_gpus).",
                            "outside_lanes",
                            params());
            case Refusal.KeptBack _ ->
                    card("is kept back for others (gpu_left).", "kept_back", params());
            case Refusal.Promised(var task) ->
                    card(
                            "goes to task " + task + " next, which gathers several.",
                            "kept_for",
                            params("task", task));
            case Refusal.OwnPython(var process) ->
                    card(
                            "carries Python of your own outside Berth: " + program(process) + ".",
                            "own_python",
                            process(process));
            case Refusal.Unreadable(var why) ->
                    card("cannot be read: " + why + ".", "unreadable", params("why", why));
            case Refusal.Broken(var why) ->
                    card("is in error: " + why + ".", "error", params("why", why));
            case Refusal.Held(var by) ->
                    card(
                            "is held by task " + by.task() + ".",
                            "held",
                            params("task", by.task(), "attempt", by.number()));
            case Refusal.Leaving(var attempt) ->
                    card(
                            "was held by task "
                                    + attempt.task()
                                    + ", which has just ended; it is given on as soon as it is seen"
                                    + " to be empty.",
                            "leaving",
                            params("task", attempt.task(), "attempt", attempt.number()));
            case Refusal.LeftBehind left -> leftBehind(left);
            case Refusal.OthersWork(var process) ->
                    card(
                            "is in use outside Berth by " + named(process) + ".",
                            "others_work",
                            process(process));
            case Refusal.MemoryShort memory -> memoryShort(memory);
            case Refusal.InUse use -> inUse(use);
        };
    }

    private static Reason leftBehind(Refusal.LeftBehind left) {
        var params = new TreeMap<>(process(left.process()));
        params.put("task", left.attempt().task().toString());
        params.put("attempt", Integer.toString(left.attempt().number()));
        return card(
                "still carries a process of task "
                        + left.attempt().task()
                        + ": "
                        + program(left.process())
                        + ".",
                "left_behind",
                params);
    }

    private static Reason memoryShort(Refusal.MemoryShort memory) {
        var params =
                new TreeMap<>(
                        params(
                                "needed_mib",
                                memory.neededMib(),
                                "margin_mib",
                                memory.marginMib(),
                                "free_mib",
                                memory.headroomMib()));
        memory.others().stream().findFirst().ifPresent(most -> params.putAll(process(most)));
        return card(
                "has "
                        + memory.headroomMib()
                        + " MiB left, "
                        + memory.neededMib()
                        + " MiB are needed"
                        + (memory.marginMib() > 0
                                ? " and " + memory.marginMib() + " MiB must stay free beyond that"
                                : "")
                        + users(memory.others())
                        + ".",
                "memory_short",
                params);
    }

    private static Reason inUse(Refusal.InUse use) {
        var params =
                new TreeMap<>(
                        params(
                                "used_mib",
                                use.usedMib(),
                                "total_mib",
                                use.totalMib(),
                                "threshold_percent",
                                use.thresholdPercent()));
        use.others().stream().findFirst().ifPresent(most -> params.putAll(process(most)));
        return card(
                "is in use: "
                        + use.usedMib()
                        + " of "
                        + use.totalMib()
                        + " MiB, and "
                        + use.thresholdPercent()
                        + " % or more counts as busy"
                        + users(use.others())
                        + ".",
                "in_use",
                params);
    }

    private static String users(List<Occupant> others) {
        return others.isEmpty()
                ? ""
                : others.stream()
                        .map(RefusalWords::named)
                        .collect(Collectors.joining("; ", " (used outside Berth by ", ")"));
    }

    private static String named(Occupant process) {
        return owner(process) + ": " + program(process);
    }

    private static String owner(Occupant process) {
        return switch (process.whose()) {
            case Whose.User(String name, _) -> name;
            case Whose.Ours(var attempt) -> "task " + attempt.task();
            case Whose.Unknown _ -> "somebody unknown";
        };
    }

    private static String program(Occupant process) {
        return (process.program().isEmpty() ? "a program" : process.program())
                + " (pid "
                + process.pid()
                + (process.usedMib().isPresent()
                        ? ", " + process.usedMib().getAsLong() + " MiB)"
                        : ")");
    }

    /** Its user and memory are there only if they are known. */
    private static Map<String, String> process(Occupant process) {
        var params = new TreeMap<>(params("pid", process.pid(), "program", process.program()));
        if (process.whose() instanceof Whose.User(String name, _)) {
            params.put("user", name);
        }
        process.usedMib().ifPresent(mib -> params.put("process_mib", Long.toString(mib)));
        return params;
    }

    private static Reason card(String detail, String code, Map<String, String> params) {
        return new Reason(detail, "card." + code, params, List.of());
    }
}
