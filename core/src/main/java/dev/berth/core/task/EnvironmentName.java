package dev.berth.core.task;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which variables a task may add to its environment; said at the door, held to at the launch. */
public final class EnvironmentName {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Berth's own words to the task, beside all that begin with its name. */
    private static final List<String> BERTHS =
            List.of("LOG_FILE", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES");

    /** bash sets these itself: it refuses the assignment, or makes something else of it. */
    private static final List<String> BASHS =
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

    /** Why a variable cannot be given. */
    public enum Refusal {
        NO_NAME("is no name for an environment variable"),
        BERTHS("is set by Berth and cannot be given"),
        BASHS("is set by bash and cannot be given");

        private final String words;

        Refusal(String words) {
            this.words = words;
        }

        /** What follows the name in a sentence. */
        public String words() {
            return words;
        }
    }

    /** Why the variable cannot be set, or empty. */
    public static Optional<Refusal> refusal(String name) {
        if (!NAME.matcher(name).matches()) {
            return Optional.of(Refusal.NO_NAME);
        }
        if (BERTHS.contains(name) || name.startsWith("BERTH_") || name.startsWith("berth_")) {
            return Optional.of(Refusal.BERTHS);
        }
        return BASHS.contains(name) ? Optional.of(Refusal.BASHS) : Optional.empty();
    }
}
