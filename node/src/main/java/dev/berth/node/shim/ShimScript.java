package dev.berth.node.shim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The words of {@code run.sh} and {@code command.sh}. An attempt's own words are assignments at the
 * head of {@code run.sh}; what follows is the same for all, and is the resource of that name.
 */
public final class ShimScript {
    private static final String BODY = body();

    /**
     * Printed by the command's shell before the user's first line, all by one line of the script.
     * The server's environment may hold functions named like builtins.
     */
    /** As the two are in a log. */
    private static final Pattern START =
            Pattern.compile(
                    "===== Command Script Start =====\n"
                            + ".*+\n"
                            + "(?:command -v (?:python|conda): .*+\n"
                            + ")*+");

    private static final String EXIT = "===== Command Script Exit =====\n";

    private static final String START_BANNER =
            """
            builtin printf '===== Command Script Start =====\\nScript PATH: %s\\ncommand -v python: ' "$PATH"; \
            builtin command -v python || builtin printf 'not found\\n'; builtin printf 'command -v conda: '; \
            builtin command -v conda || builtin printf 'not found\\n'
            """;

    private static final String FAILPOINT =
            """
            berth_at() {
                [[ -e $berth_failpoints/$1.arm ]] || return
                printf '%s\\n' "$$" >|"$berth_failpoints/$1.hit"
                while [[ -e $berth_failpoints/$1.arm ]]; do "$berth_sleep" 0.005 48>&-; done
            }
            """;

    private static final String NO_FAILPOINT = "berth_at() { :; }\n";

    private final Tools tools;
    private final String umask;
    private final CommandSettings commands;

    /**
     * @param umask of the server, in octal, which the command gets
     */
    public ShimScript(Tools tools, String umask, CommandSettings commands) {
        if (!umask.matches("[0-7]{1,4}")) {
            throw new IllegalArgumentException("no umask: " + umask);
        }
        this.tools = tools;
        this.umask = umask;
        this.commands = commands;
    }

    /**
     * What the spawner starts. {@code -p} keeps functions and options of the server's environment
     * out of it.
     */
    public List<String> start(AttemptDirectory directory) {
        return List.of(tools.bash().toString(), "-p", directory.runScript().toString());
    }

    public String run(ShimOrder order, AttemptDirectory directory) {
        var head =
                new StringBuilder("#!/usr/bin/env bash\n# Attempt ")
                        .append(order.marker().attempt())
                        .append(".\n");
        assign(head, "berth_dir", directory.path());
        assign(head, "berth_work_dir", order.workDir());
        assign(head, "berth_umask", umask);
        assign(head, "berth_cgroup", order.cgroupEntrance().map(Path::toString).orElse(""));
        assign(head, "berth_failpoints", order.failpoints().map(Path::toString).orElse(""));
        assign(head, "berth_sync", tools.sync());
        assign(head, "berth_sleep", tools.sleep());
        assign(head, "berth_extra_path", commands.joinedPath());
        head.append("berth_run_as=(").append(words(order.runAs())).append(")\n");
        assign(head, "VENV_BIN", order.workDir().resolve(".venv/bin"));
        assign(head, "LOG_FILE", directory.log());
        assign(
                head,
                "CUDA_VISIBLE_DEVICES",
                order.cards().stream().map(String::valueOf).collect(Collectors.joining(",")));
        assign(head, "BERTH_ATTEMPT", order.marker().value());
        head.append(order.failpoints().isPresent() ? FAILPOINT : NO_FAILPOINT);
        return head.append(start(order)).append(BODY).toString();
    }

    /**
     * The task's own variables hold for its command alone, so that none of them can lead the shim
     * astray.
     */
    private static String start(ShimOrder order) {
        var variables =
                order.environment().entrySet().stream()
                        .map(
                                variable ->
                                        variable.getKey() + "=" + quoted(variable.getValue()) + " ")
                        .collect(Collectors.joining());
        return "berth_start() { " + variables + "berth_run; }\n";
    }

    public String command(ShimOrder order) {
        var init =
                commands.initScript()
                        .map(script -> "builtin source " + quoted(script.toString()) + "; ")
                        .orElse("");
        return "#!/usr/bin/env bash\n"
                + init
                + START_BANNER
                + order.command()
                + (order.command().endsWith("\n") ? "" : "\n");
    }

    /**
     * What the task itself said. The banners tell where the shell looked for python and conda, and
     * in vain is no failure.
     */
    /** What bash says of a command that a signal ended names a line of our own script. */
    private static final Pattern OF_THE_SHIM =
            Pattern.compile("(?m)^[^\n]*/run\\.sh: line \\d+: +\\d+ [^\n]*berth_command[^\n]*\\n?");

    public static String withoutBanners(String log) {
        int exit = log.lastIndexOf(EXIT);
        var said = exit < 0 ? log : log.substring(0, exit);
        return OF_THE_SHIM.matcher(START.matcher(said).replaceFirst("")).replaceAll("");
    }

    private static void assign(StringBuilder head, String name, Object value) {
        head.append(name).append('=').append(quoted(value.toString())).append('\n');
    }

    private static String words(List<String> words) {
        return words.stream().map(ShimScript::quoted).collect(Collectors.joining(" "));
    }

    /** One word of shell, whatever it holds. */
    static String quoted(String text) {
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
