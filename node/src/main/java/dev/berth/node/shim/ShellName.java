package dev.berth.node.shim;

import dev.berth.node.process.Marker;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Which variables a task may add to its environment. */
public final class ShellName {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Berth's own words to the task. */
    private static final Set<String> BERTHS =
            Set.of(
                    Marker.VARIABLE,
                    "BERTH_FAILPOINTS",
                    "LOG_FILE",
                    "CUDA_DEVICE_ORDER",
                    "CUDA_VISIBLE_DEVICES");

    /** bash sets these itself: it refuses the assignment, or makes something else of it. */
    private static final Set<String> BASHS =
            Set.of(
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

    private ShellName() {}

    /** Why the variable cannot be set, or empty. */
    public static Optional<String> refusal(String name) {
        if (!NAME.matcher(name).matches()) {
            return Optional.of("'" + name + "' is no name for an environment variable");
        }
        if (BERTHS.contains(name) || name.startsWith("berth_")) {
            return Optional.of(name + " is set by Berth and cannot be given");
        }
        if (BASHS.contains(name)) {
            return Optional.of(name + " is set by bash and cannot be given");
        }
        return Optional.empty();
    }
}
