package dev.berth.node.shim;

import dev.berth.node.process.UserSwitch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Generates {@code run.sh} and {@code command.sh}. The values of one attempt are assignments at the
 * head of {@code run.sh}, which are all that the native shim reads. For bash the rest follows,
 * which is the same for all attempts and comes from the resource of that name.
 */
public final class ShimScript {
    private static final String BODY = body();

    /** The start banner as it appears in a log. */
    private static final Pattern START =
            Pattern.compile(
                    "===== Command Script Start =====\n"
                            + ".*+\n"
                            + "(?:command -v (?:python|conda): .*+\n"
                            + ")*+");

    private static final String EXIT = "===== Command Script Exit =====\n";

    static final String FIRST_LINE = "#!/usr/bin/env bash\n";

    private static final int OWNER_LINE_WITHIN = 256;

    private static final String FAILPOINT =
            """
            berth_at() {
                [[ -e $berth_failpoints/$1.arm ]] || return
                printf '%s\\n' "$$" >|"$berth_failpoints/$1.hit"
                while [[ -e $berth_failpoints/$1.arm ]]; do "$berth_sleep" 0.005 48>&-; done
            }
            """;

    /** The task's variables are between these two. */
    static final String START_FUNCTION = "berth_start() { ";

    static final String START_CALL = "exec \"${berth_command[@]}\" 48>&-; }\n";

    private static final String NO_CLUSTER =
            "berth_place=\nberth_check() { :; }\nberth_release() { :; }\n";

    /** Followed by the uid of the owner. Only root can write this file, so it can be trusted. */
    private static final String OWNER_LINE = "# berth-owner ";

    private static final Pattern OWNER = Pattern.compile("(?m)^" + OWNER_LINE + "([1-9]\\d{0,9})$");

    /** All variables of a shim that runs as root: nothing of the task or of the node's own. */
    private static final List<String> ROOT_ENVIRONMENT =
            List.of(
                    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                    "LANG=C.UTF-8");

    private static final String NO_FAILPOINT = "berth_at() { :; }\n";

    /** As bash prints it with {@code %FT%T%z}. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ssxx");

    /** The shell of an owner first checks that it is one. */
    private static final String OWNER_CHECK =
            "[[ $UID == \"$3\" && $EUID == \"$3\" ]] || { builtin echo \"berth: not the owner of"
                    + " the task: nothing was run\"; builtin exit 77; }; ";

    /**
     * At the end the command's shell prints the final PATH, unless the script sets its own EXIT
     * trap or execs another program.
     */
    private static final String END_REPORT =
            "builtin trap '{ builtin set +ex; builtin printf \"%s\\0\" \"${PATH:0:61440}\"; builtin"
                    + " command -v python || builtin echo; } 2>/dev/null >&47' EXIT; ";

    /** The variable is gone when the first line of the script runs. */
    private static final String EVALUATE =
            "builtin eval \"builtin unset berth_script; $berth_script\"";

    /**
     * Runs in the command's shell. It reads the script from an open descriptor, because the command
     * may run as another user who cannot read our directory, and removes all helper variables
     * before the script runs. All on one line, so that bash counts the script's lines from 1.
     */
    private static final String SCRIPT_LOADER =
            "builtin umask \"$2\"; builtin cd -- \"$1\" || builtin exit; builtin set --;"
                    + " builtin unset OLDPWD BASH_EXECUTION_STRING; IFS= builtin read -r -d"
                    + " \"\" -u 46 berth_script || builtin :; exec 46<&-; "
                    + EVALUATE;

    private static final String LOADER = END_REPORT + SCRIPT_LOADER;

    private static final String NO_OWNER =
            "berth_owner=''\nberth_group=''\nberth_groups=''\nberth_owner_path=''\n"
                    + assignment("berth_loader", LOADER);

    /**
     * What the shell of each command calls. After this the functions of libraries are linked, so
     * that no copy has to link them again.
     */
    private static final String LINK_FUNCTIONS =
            "{ builtin printf '%s' ''; builtin command -v python; } >/dev/null || builtin :; ";

    /**
     * Runs in a shell that was loaded ahead. The builtin is the shim; it returns in the copy of the
     * shell that becomes the command, and has set the umask and the variables of the attempt. What
     * a shell remembers from its own start is set anew. Before version 5 a shell cannot set its own
     * name.
     */
    private static final String SPARE_LOADER =
            " && builtin export LOG_FILE CUDA_VISIBLE_DEVICES && "
                    + END_REPORT
                    + LINK_FUNCTIONS
                    + "builtin berth_shim || builtin exit; builtin berth_shim || builtin exit;"
                    + " SECONDS=0; RANDOM=$((BASHPID ^ 10#${EPOCHREALTIME: -6}));"
                    + " BASH_ARGV0=$berth_name; builtin cd -- \"$berth_work_dir\" || builtin"
                    + " exit; builtin unset OLDPWD BASH_EXECUTION_STRING berth_name"
                    + " berth_work_dir; "
                    + EVALUATE;

    private final ShimTools tools;
    private final String umask;
    private final CommandSettings commands;
    private final StartBanner banner;

    /** What all attempts have in common. */
    private final String settings;

    /**
     * @param umask of the server, in octal; the command runs with it
     */
    public ShimScript(ShimTools tools, String umask, CommandSettings commands) {
        if (!umask.matches("[0-7]{1,4}")) {
            throw new IllegalArgumentException("no umask: " + umask);
        }
        this.tools = tools;
        this.umask = umask;
        this.commands = commands;
        this.banner = new StartBanner(commands, System.getenv());
        this.settings =
                assignment("berth_bash", tools.bash())
                        + assignment("berth_extra_path", commands.joinedPath());
    }

    /** Bash, which runs every shim. */
    public ShimProgram bash() {
        return new ShimProgram(tools.bash(), false);
    }

    /** The program for this attempt: a copy of its output needs bash. */
    public ShimProgram program(Optional<NativeShim> nativeShim, ShimParameters parameters) {
        return nativeShim
                .filter(_ -> !parameters.opensOutputAgain())
                .map(shim -> new ShimProgram(shim.program(), true))
                .orElseGet(this::bash);
    }

    /** A spare whose shell is loaded ahead. */
    SpareShims.SpareKind spare(NativeShim shim) {
        var values = new StringBuilder();
        assign(values, "berth_bash", tools.bash());
        assign(values, "berth_loader", loadBuiltin(shim) + SPARE_LOADER);
        assign(values, "berth_extra_path", commands.joinedPath());
        var bytes = values.append('\0').toString().getBytes(StandardCharsets.UTF_8);
        return new SpareShims.SpareKind(bytes, Optional.empty());
    }

    private static String loadBuiltin(NativeShim shim) {
        return "((BASH_VERSINFO[0] >= 5)) && builtin enable -f "
                + quoted(shim.builtin().toString())
                + " berth_shim";
    }

    /** A spare without a shell. */
    static SpareShims.SpareKind spareWithoutShell(Optional<List<String>> environment) {
        return new SpareShims.SpareKind(new byte[] {0}, environment);
    }

    /** A spare without a shell, in root's fixed environment. */
    static SpareShims.SpareKind spareForOwners() {
        return spareWithoutShell(Optional.of(ROOT_ENVIRONMENT));
    }

    /** The environment of a shim; empty to inherit that of this process. */
    public static Optional<List<String>> environment(Optional<CommandOwner> owner) {
        return owner.map(_ -> ROOT_ENVIRONMENT);
    }

    /**
     * The uid of the owner that a {@code run.sh} names; empty if its command runs as the server's
     * user.
     */
    public static OptionalInt ownerUid(String runScript) {
        var head = runScript.substring(0, Math.min(runScript.length(), OWNER_LINE_WITHIN));
        var owner = OWNER.matcher(head);
        return owner.find()
                ? OptionalInt.of(Integer.parseInt(owner.group(1)))
                : OptionalInt.empty();
    }

    /** The {@code run.sh} for this program. */
    public String runScript(
            ShimParameters parameters, AttemptDirectory directory, ShimProgram program) {
        if (program.isNative()) {
            return head(parameters, directory)
                    + assignment(
                            "berth_banner",
                            banner.isPrintedByShim(parameters, program) ? "shim" : "")
                    + visibleGpus(parameters)
                    + assignment("BERTH_ATTEMPT", parameters.marker().value())
                    + start(parameters);
        }
        return runScript(
                parameters,
                directory,
                visibleGpus(parameters) + NO_CLUSTER,
                parameters.owner().map(one -> UserSwitch.to(one.account())).orElse(List.of()));
    }

    /**
     * The same for another place than this host, where bash runs the shim as a process of the owner
     * itself.
     *
     * @param placement sets {@code CUDA_VISIBLE_DEVICES} and {@code berth_place}, and defines the
     *     functions {@code berth_check} and {@code berth_release}
     */
    public String runScript(
            ShimParameters parameters, AttemptDirectory directory, String placement) {
        return runScript(parameters, directory, placement, List.of());
    }

    /**
     * @param runAs words in front of the command that make it run as its owner
     */
    private String runScript(
            ShimParameters parameters,
            AttemptDirectory directory,
            String placement,
            List<String> runAs) {
        return head(parameters, directory)
                + assignment("berth_sync", tools.sync())
                + assignment("berth_sleep", tools.sleep())
                + assignment("berth_cat", parameters.opensOutputAgain() ? tools.cat() : "")
                + ("berth_run_as=(" + quotedWords(runAs) + ")\n")
                + placement
                + assignment("BERTH_ATTEMPT", parameters.marker().value())
                + (parameters.failpoints().isPresent() ? FAILPOINT : NO_FAILPOINT)
                + start(parameters)
                + BODY;
    }

    private static String visibleGpus(ShimParameters parameters) {
        var indices =
                parameters.gpuIndices().stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(","));
        return assignment("CUDA_VISIBLE_DEVICES", indices);
    }

    /** The values that both shims need. */
    private String head(ShimParameters parameters, AttemptDirectory directory) {
        var head =
                new StringBuilder("#!/usr/bin/env bash\n# Attempt ")
                        .append(parameters.marker().attempt())
                        .append(".\n");
        parameters
                .owner()
                .ifPresent(owner -> head.append(OWNER_LINE).append(owner.uid()).append('\n'));
        head.append(parameters.header().map(AttemptHeader::line).orElse(""));
        assign(head, "berth_dir", directory.path());
        assign(head, "berth_work_dir", parameters.workDir());
        if (parameters.owner().isPresent()) {
            assignOwner(head, parameters.owner().get(), parameters);
        } else {
            head.append(NO_OWNER);
            assign(head, "berth_umask", umask);
        }
        assign(head, "berth_cgroup", parameters.cgroupProcsFile().map(Path::toString).orElse(""));
        assign(head, "berth_failpoints", parameters.failpoints().map(Path::toString).orElse(""));
        assign(head, "berth_time", TIME.format(ZonedDateTime.now(ZoneId.systemDefault())));
        assign(head, "VENV_BIN", parameters.workDir().resolve(".venv/bin"));
        assign(head, "LOG_FILE", directory.log());
        return head.append(settings).toString();
    }

    private void assignOwner(StringBuilder head, CommandOwner owner, ShimParameters parameters) {
        var script = ownerScript(owner, parameters);
        assign(head, "berth_umask", script.umask());
        assign(head, "berth_owner", owner.uid());
        assign(head, "berth_group", owner.gid());
        assign(head, "berth_groups", owner.groups());
        assign(head, "berth_owner_path", script.path());
        assign(head, "berth_loader", OWNER_CHECK + LOADER);
    }

    private OwnerScript ownerScript(CommandOwner owner, ShimParameters parameters) {
        return new OwnerScript(
                owner,
                parameters.environment(),
                commands.extraPath().stream().map(Path::toString).toList());
    }

    /**
     * The task's variables are set in the process that becomes its command, unless that still runs
     * as root. In the shim itself some would change how bash works: {@code FUNCNEST} limits calls,
     * {@code BASH_XTRACEFD} closes a descriptor.
     */
    private static String start(ShimParameters parameters) {
        if (parameters.owner().isPresent()) {
            return START_FUNCTION + START_CALL;
        }
        var variables =
                parameters.environment().entrySet().stream()
                        .map(
                                variable ->
                                        variable.getKey() + "=" + quoted(variable.getValue()) + " ")
                        .collect(Collectors.joining());
        return START_FUNCTION + variables + START_CALL;
    }

    /** The {@code command.sh} for this program. */
    public String commandScript(ShimParameters parameters, ShimProgram program) {
        return FIRST_LINE
                + (banner.isPrintedByShim(parameters, program)
                        ? StartBanner.OF_SHIM
                        : beginning(parameters))
                + parameters.command()
                + (parameters.command().endsWith("\n") ? "" : "\n");
    }

    /** What the command's shell does before the command, in one line. */
    private String beginning(ShimParameters parameters) {
        var init =
                commands.initScript()
                        .map(script -> "builtin source " + quoted(script.toString()) + "; ")
                        .orElse("");
        return parameters.owner().map(owner -> ownerScript(owner, parameters).line()).orElse("")
                + init
                + StartBanner.OF_SHELL;
    }

    /** If a signal ended the command, bash prints a message that names a line of {@code run.sh}. */
    private static final Pattern SHIM_MESSAGE =
            Pattern.compile(
                    "(?m)^[^\n"
                            + "]*/run\\.sh: line \\d+: +\\d+ [^\n"
                            + "]*berth_(?:command|start)[^\n"
                            + "]*\\n"
                            + "?");

    /**
     * The output of the task itself. The banners are removed, because they print "not found" if
     * python or conda are missing, which is not an error of the task.
     */
    public static String withoutBanners(String log) {
        int exit = log.lastIndexOf(EXIT);
        var output = exit < 0 ? log : log.substring(0, exit);
        return SHIM_MESSAGE.matcher(START.matcher(output).replaceFirst("")).replaceAll("");
    }

    private static void assign(StringBuilder head, String name, Object value) {
        head.append(assignment(name, value));
    }

    private static String assignment(String name, Object value) {
        return name + "=" + quoted(value.toString()) + "\n";
    }

    private static String quotedWords(List<String> words) {
        return words.stream().map(ShimScript::quoted).collect(Collectors.joining(" "));
    }

    /** Quotes any text as a single shell word. */
    public static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String body() {
        try (var body = Objects.requireNonNull(ShimScript.class.getResourceAsStream("run.sh"))) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("the resource run.sh", failure);
        }
    }
}
