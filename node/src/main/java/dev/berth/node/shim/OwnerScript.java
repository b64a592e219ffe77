package dev.berth.node.shim;

import dev.berth.core.task.EnvironmentName;
import dev.berth.core.task.ShellContext;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the shell of a task's owner does before the script: it exports the variables and sets the
 * limits of the submit. These variables must not reach a program that still runs as root: {@code
 * LD_PRELOAD} would load the owner's code into it. All on one line, so that bash counts the
 * script's lines as in a home of one user.
 */
final class OwnerScript {

    /** PATH of an account whose shell is not known. */
    static final String DEFAULT_PATH =
            "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

    static final String DEFAULT_UMASK = "0022";

    /** Begins the variables of the account or of the submit's shell. */
    static final String BASE_VARIABLES = "builtin export ";

    /** Begins the variables of the task, if it has any. */
    static final String TASK_VARIABLES = "; builtin export ";

    private static final String BANNER =
            "builtin printf '===== Scheduler Environment =====\\n"
                + "Timestamp: %(%FT%T%z)T\\n"
                + "PATH: %s\\n"
                + "Python on PATH: ' -1 \"$PATH\"; builtin command -v python || builtin printf 'not"
                + " found\\n"
                + "'; ";

    /** As {@code bash -c} does it when it starts. */
    private static final String SOURCE_BASH_ENV =
            "[[ ! ${BASH_ENV-} || ! -r $BASH_ENV ]] || builtin source \"$BASH_ENV\"; ";

    private static final Pattern FUNCTION = Pattern.compile("BASH_FUNC_([A-Za-z_][A-Za-z0-9_]*)%%");

    /** Bash does not take them over from its environment, or evaluates what is assigned to them. */
    private static final Set<String> SET_BY_SHELL =
            Set.of("IFS", "OPTIND", "PWD", "OLDPWD", "SHLVL");

    /** The shim sets it, and a task may change it. */
    private static final String UNBUFFERED = "PYTHONUNBUFFERED";

    /** The letters of {@code ulimit} by the names of {@code prlimit}. */
    private static final Map<String, Limit> LIMITS =
            Map.ofEntries(
                    Map.entry("as", new Limit('v', 1024)),
                    Map.entry("core", new Limit('c', 1024)),
                    Map.entry("cpu", new Limit('t', 1)),
                    Map.entry("data", new Limit('d', 1024)),
                    Map.entry("fsize", new Limit('f', 1024)),
                    Map.entry("locks", new Limit('x', 1)),
                    Map.entry("memlock", new Limit('l', 1024)),
                    Map.entry("msgqueue", new Limit('q', 1)),
                    Map.entry("nice", new Limit('e', 1)),
                    Map.entry("nofile", new Limit('n', 1)),
                    Map.entry("nproc", new Limit('u', 1)),
                    Map.entry("rss", new Limit('m', 1024)),
                    Map.entry("rtprio", new Limit('r', 1)),
                    Map.entry("rttime", new Limit('R', 1)),
                    Map.entry("sigpending", new Limit('i', 1)),
                    Map.entry("stack", new Limit('s', 1024)));

    private record Limit(char letter, long unit) {

        /** A value above the hard limit becomes the hard limit; a failure is no error. */
        String set(long value) {
            var soft = value < 0 ? "unlimited" : Long.toString(value / unit);
            var set = "builtin ulimit -S" + letter + " ";
            return "{ " + set + soft + " || " + set + "hard; } 2>/dev/null; ";
        }
    }

    private final CommandOwner owner;
    private final SortedMap<String, String> taskVariables;
    private final List<String> extraPath;

    OwnerScript(
            CommandOwner owner, SortedMap<String, String> taskVariables, List<String> extraPath) {
        this.owner = owner;
        this.taskVariables = taskVariables;
        this.extraPath = extraPath;
    }

    String umask() {
        return owner.shell()
                .map(ShellContext::umask)
                .filter(mask -> mask.matches("[0-7]{1,4}"))
                .orElse(DEFAULT_UMASK);
    }

    /** PATH before the variables of the task. */
    String path() {
        return base().getOrDefault("PATH", DEFAULT_PATH);
    }

    /** Without a line break. */
    String line() {
        var task = assignments(taskVariables);
        return BASE_VARIABLES
                + assignments(base())
                // Without a name, the shell would list all its variables.
                + (task.isEmpty() ? "" : TASK_VARIABLES + task)
                + "; "
                + functions()
                + limits()
                + BANNER
                + SOURCE_BASH_ENV;
    }

    private SortedMap<String, String> base() {
        var variables = new TreeMap<String, String>();
        if (owner.shell().isPresent()) {
            owner.shell()
                    .get()
                    .environment()
                    .forEach(
                            (name, value) -> {
                                if (!name.equals(UNBUFFERED)) {
                                    variables.put(name, value);
                                }
                            });
        } else {
            var account = owner.account();
            variables.put("HOME", account.home().toString());
            variables.put("USER", account.name());
            variables.put("LOGNAME", account.name());
            variables.put("SHELL", account.shell().toString());
        }
        variables.put("PATH", withExtra(variables.getOrDefault("PATH", DEFAULT_PATH)));
        return variables;
    }

    private static boolean isExported(String name) {
        return EnvironmentName.problem(name).isEmpty() && !SET_BY_SHELL.contains(name);
    }

    /** The virtual environment of the submit's shell is not the task's. */
    private String withExtra(String path) {
        return Stream.concat(
                        extraPath.stream(),
                        Stream.of(path.split(":", -1))
                                .filter(entry -> !isVirtualEnvironment(entry)))
                .collect(Collectors.joining(":"));
    }

    /** Whether the shim drops this entry from {@code PATH}. */
    static boolean isVirtualEnvironment(String entry) {
        return entry.matches("(.*/)?\\.venv/bin/?");
    }

    private static String assignments(SortedMap<String, String> variables) {
        return variables.entrySet().stream()
                .filter(variable -> isExported(variable.getKey()))
                .map(variable -> variable.getKey() + "=" + quoted(variable.getValue()))
                .collect(Collectors.joining(" "));
    }

    /** Functions that the shell of the submit exports, for example {@code module}. */
    private String functions() {
        var text = new StringBuilder();
        owner.shell()
                .map(ShellContext::environment)
                .orElseGet(TreeMap::new)
                .forEach(
                        (variable, body) -> {
                            var name = FUNCTION.matcher(variable);
                            if (name.matches()
                                    && !name.group(1).equals("builtin")
                                    && body.startsWith("() {")) {
                                text.append("builtin eval ")
                                        .append(quoted(name.group(1) + " " + body))
                                        .append(" 2>/dev/null && builtin export -f ")
                                        .append(name.group(1))
                                        .append("; ");
                            }
                        });
        return text.toString();
    }

    private String limits() {
        return owner.shell().map(ShellContext::limits).orElseGet(TreeMap::new).entrySet().stream()
                .flatMap(
                        limit ->
                                Optional.ofNullable(LIMITS.get(limit.getKey()))
                                        .map(known -> known.set(limit.getValue()))
                                        .stream())
                .collect(Collectors.joining());
    }

    /** Quotes any text without a zero byte as a single shell word on one line. */
    static String quoted(String text) {
        return "$'"
                + text.replace("\\", "\\\\")
                        .replace("'", "\\'")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                + "'";
    }
}
