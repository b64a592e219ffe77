package dev.berth.core.task;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which variables a task may add to its environment; checked when the task is submitted and again
 * at the launch.
 */
public final class EnvironmentName {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Berth sets these, and all whose name begins with {@code BERTH_}. */
    private static final List<String> SET_BY_BERTH =
            List.of("LOG_FILE", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES");

    /** bash sets these itself: it rejects an assignment or interprets it in its own way. */
    private static final List<String> SET_BY_BASH =
            List.of(
                    "_",
                    "BASH",
                    "BASHOPTS",
                    "BASHPID",
                    "BASH_ALIASES",
                    "BASH_ARGC",
                    "BASH_ARGV",
                    "BASH_ARGV0",
                    "BASH_CMDS",
                    "BASH_COMMAND",
                    "BASH_LINENO",
                    "BASH_SOURCE",
                    "BASH_SUBSHELL",
                    "BASH_VERSINFO",
                    "DIRSTACK",
                    "EPOCHREALTIME",
                    "EPOCHSECONDS",
                    "EUID",
                    "FUNCNAME",
                    "GROUPS",
                    "HISTCMD",
                    "LINENO",
                    "PIPESTATUS",
                    "PPID",
                    "RANDOM",
                    "SECONDS",
                    "SHELLOPTS",
                    "SRANDOM",
                    "UID");

    private EnvironmentName() {}

    /** Why a variable is rejected. */
    public enum NameProblem {
        INVALID_NAME("is no name for an environment variable"),
        SET_BY_BERTH("is set by Berth and cannot be given"),
        SET_BY_BASH("is set by bash and cannot be given");

        private final String text;

        NameProblem(String text) {
            this.text = text;
        }

        /** To be put after the name in a sentence. */
        public String text() {
            return text;
        }
    }

    /** Empty if the variable may be set. */
    public static Optional<NameProblem> problem(String name) {
        if (!NAME.matcher(name).matches()) {
            return Optional.of(NameProblem.INVALID_NAME);
        }
        if (SET_BY_BERTH.contains(name) || name.startsWith("BERTH_") || name.startsWith("berth_")) {
            return Optional.of(NameProblem.SET_BY_BERTH);
        }
        return SET_BY_BASH.contains(name) ? Optional.of(NameProblem.SET_BY_BASH) : Optional.empty();
    }
}
