package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The shell from which this command was called: its environment, umask and soft limits. A server of
 * many users gives them to the task, as other batch systems do.
 */
public final class CallerShell {

    public static final CommandOption EXPORT =
            CommandOption.withValue(
                    "--export",
                    "all|none",
                    "all: it gets your environment, umask and limits (system server)");

    /** Where the kernel shows the umask and the limits of this process. */
    private static final Path PROCESS = Path.of("/proc/self");

    /** The launcher keeps the caller's values here if it had to set others for the JVM. */
    private static final String LAUNCHER_COPY = "BERTH_CALLER_";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** They describe the caller's terminal or login session, which may end before the task. */
    private static final Set<String> OF_SESSION =
            Set.of(
                    "COLUMNS",
                    "DBUS_SESSION_BUS_ADDRESS",
                    "DISPLAY",
                    "LINES",
                    "OLDPWD",
                    "PWD",
                    "SHLVL",
                    "SSH_CLIENT",
                    "SSH_CONNECTION",
                    "SSH_TTY",
                    "STY",
                    "TMUX",
                    "TMUX_PANE",
                    "WAYLAND_DISPLAY",
                    "WINDOW",
                    "XAUTHORITY",
                    "XDG_RUNTIME_DIR",
                    "XDG_SEAT",
                    "XDG_SESSION_CLASS",
                    "XDG_SESSION_ID",
                    "XDG_SESSION_TYPE",
                    "XDG_VTNR");

    /** Berth sets them, and all whose name begins with BERTH_; or they are for this JVM. */
    private static final Set<String> OF_BERTH =
            Set.of("CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "JAVA_TOOL_OPTIONS", "LOG_FILE");

    /** bash sets them itself. */
    private static final Set<String> OF_BASH =
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

    /** The names of the kernel's limits, with those that the server knows them by. */
    private static final Map<String, String> LIMITS =
            Map.ofEntries(
                    Map.entry("Max cpu time", "cpu"),
                    Map.entry("Max file size", "fsize"),
                    Map.entry("Max data size", "data"),
                    Map.entry("Max stack size", "stack"),
                    Map.entry("Max core file size", "core"),
                    Map.entry("Max resident set", "rss"),
                    Map.entry("Max processes", "nproc"),
                    Map.entry("Max open files", "nofile"),
                    Map.entry("Max locked memory", "memlock"),
                    Map.entry("Max address space", "as"),
                    Map.entry("Max file locks", "locks"),
                    Map.entry("Max pending signals", "sigpending"),
                    Map.entry("Max msgqueue size", "msgqueue"),
                    Map.entry("Max nice priority", "nice"),
                    Map.entry("Max realtime priority", "rtprio"),
                    Map.entry("Max realtime timeout", "rttime"));

    private CallerShell() {}

    /**
     * @param export the value of {@code --export}
     * @return false if the task gets the values of the account instead
     */
    public static boolean isExported(@Nullable String export) {
        if (export == null || export.equals("all")) {
            return true;
        }
        if (export.equals("none")) {
            return false;
        }
        throw new UsageError("--export must be all or none, not '" + SafeText.line(export) + "'");
    }

    /** The field {@code shell} of a request. */
    public static Map<String, @Nullable Object> field(CallContext context) {
        return field(context, PROCESS);
    }

    static Map<String, @Nullable Object> field(CallContext context, Path process) {
        Map<String, @Nullable Object> shell = new LinkedHashMap<>();
        shell.put("environment", environment(context));
        shell.put("umask", umask(process.resolve("status")));
        shell.put("limits", limits(process.resolve("limits")));
        return shell;
    }

    private static Map<String, @Nullable Object> environment(CallContext context) {
        Map<String, @Nullable Object> exported = new TreeMap<>();
        for (Map.Entry<String, String> variable : context.env().entrySet()) {
            String name = variable.getKey();
            if (!isForTasks(name)) {
                continue;
            }
            String value = context.env().getOrDefault(LAUNCHER_COPY + name, variable.getValue());
            if (value.indexOf('\ufffd') >= 0) {
                context.printMessage(
                        "the variable " + name + " is not UTF-8 text; the task does not get it");
            } else if (!value.isEmpty() || !context.env().containsKey(LAUNCHER_COPY + name)) {
                exported.put(name, value);
            }
        }
        return exported;
    }

    private static boolean isForTasks(String name) {
        return NAME.matcher(name).matches()
                && !name.startsWith("BERTH_")
                && !name.startsWith("berth_")
                && !OF_SESSION.contains(name)
                && !OF_BERTH.contains(name)
                && !OF_BASH.contains(name);
    }

    /** Null if the kernel does not show it. */
    private static @Nullable String umask(Path status) {
        for (String line : lines(status)) {
            if (line.startsWith("Umask:")) {
                return line.substring("Umask:".length()).strip();
            }
        }
        return null;
    }

    /** Each line has a name, the soft limit, the hard limit and a unit, separated by spaces. */
    private static Map<String, @Nullable Object> limits(Path file) {
        Map<String, @Nullable Object> soft = new TreeMap<>();
        for (String line : lines(file)) {
            for (Map.Entry<String, String> limit : LIMITS.entrySet()) {
                if (line.startsWith(limit.getKey() + " ")) {
                    String[] values = line.substring(limit.getKey().length()).strip().split(" +");
                    soft.put(limit.getValue(), values[0]);
                }
            }
        }
        return soft;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            throw new CommandFailure(
                    "cannot read " + file + " (--export none does not need it): " + unreadable);
        }
    }
}
