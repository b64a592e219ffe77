package dev.berth.cli;

import dev.berth.cli.text.SpellingSuggestion;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What to say to a user who typed a command that does not exist. */
final class CommandAdvice {

    /** A wrong guess at one of these would do harm, so only a nearly right word suggests it. */
    private static final Set<String> DESTRUCTIVE = Set.of("stop", "cancel", "rm", "cleanup");

    private static final int MIN_DESTRUCTIVE_LENGTH = 4;

    private CommandAdvice() {}

    /** The rest of the sentence after the name, or empty. */
    static String of(String typed, List<String> commands) {
        String known = byOtherName(typed);
        if (known != null) {
            return ": " + known;
        }
        List<String> candidates = new ArrayList<>(commands);
        if (typed.length() < MIN_DESTRUCTIVE_LENGTH) {
            candidates.removeAll(DESTRUCTIVE);
        }
        String nearest = SpellingSuggestion.closest(typed, candidates);
        return nearest == null ? "" : ": did you mean '" + nearest + "'?";
    }

    /** The verbs of other tools for the same thing. */
    private static @Nullable String byOtherName(String typed) {
        return switch (typed) {
            case "kill", "abort", "terminate", "end", "scancel", "qdel", "bkill" ->
                    "`berth cancel ID` ends a task";
            case "delete", "del", "remove", "purge", "clear" ->
                    "`berth rm ID` removes an ended task, `berth cancel ID` ends one that runs";
            case "retry", "rerun", "resubmit", "restart", "requeue", "redo", "again" ->
                    "`berth clone ID` submits a task again; `berth stop` and `berth start` restart"
                            + " the server";
            case "status", "list", "ps", "jobs", "tasks", "squeue", "qstat", "bjobs", "sacct" ->
                    "`berth ls` lists tasks, `berth show ID` shows one, `berth health` the server";
            case "top", "htop", "nvidia-smi", "nvtop", "gpu", "sinfo", "nodes", "smi" ->
                    "`berth gpus` shows the GPUs, `berth ls` the tasks";
            case "model", "workers", "worker", "warm", "preload", "load", "unload" ->
                    "`berth models` shows the models and their workers, `berth models load NAME`"
                            + " loads one";
            case "pause", "hold", "suspend", "freeze" ->
                    "`berth scheduler stop` starts no more tasks, those that run continue; a"
                            + " running task cannot be paused";
            case "resume", "unpause", "continue", "release" ->
                    "`berth scheduler start` starts tasks again, `berth queue ID` queues a draft";
            case "add", "enqueue", "sbatch", "srun", "qsub", "bsub", "exec", "push", "new" ->
                    "`berth submit -- COMMAND` submits a task, `berth run FILE` a command file";
            case "log", "tail", "cat", "output", "follow" ->
                    "`berth logs ID` prints the log of a task, `berth logs -f ID` follows it";
            case "info", "describe", "inspect", "get", "scontrol", "details" ->
                    "`berth show ID` shows a task, `berth why ID` why it waits";
            case "priority", "update", "set", "modify", "change", "move", "renice" ->
                    "`berth edit ID --priority high` changes a waiting task";
            case "stats", "sreport", "report", "history" ->
                    "`berth usage` shows GPU time per user, `berth ls --all` every task";
            case "shutdown", "quit", "down" -> "`berth stop` ends the server; tasks continue";
            case "up", "daemon", "server", "init" -> "`berth start` starts the server";
            case "version" -> "`berth --version` prints it";
            case "settings", "configure" -> "`berth config` shows the settings";
            default -> null;
        };
    }
}
