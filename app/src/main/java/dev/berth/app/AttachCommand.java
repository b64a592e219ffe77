package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.server.ConfigCommand;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Attaches this terminal to the tmux session of a running task. */
final class AttachCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "attach",
                "ID",
                "Watch a running task in its tmux window (leave with Ctrl-b d)",
                List.of());
    }

    /** The name of the tmux server that has the windows of tasks. */
    private static final String TMUX_SERVER = "berth";

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        if (options.arguments().size() != 1
                || !options.arguments().getFirst().matches("[0-9]{1,18}")) {
            throw new UsageError("attach needs one task id");
        }
        var id = options.arguments().getFirst();
        if (!context.isTerminal()) {
            throw new CommandFailure(
                    "attach needs a terminal; follow the task with `berth logs -f " + id + "`");
        }
        Window window;
        try (var link = ServerConnection.open(options, context)) {
            window = new Window(program(link), session(link, id));
        }
        context.out().flush();
        if (show(window, context) != 0) {
            throw new CommandFailure(
                    "tmux did not show the window; follow the task with `berth logs -f "
                            + id
                            + "`");
        }
        return 0;
    }

    private record Window(String tmux, String session) {}

    private static String session(ServerConnection link, String id) {
        var task = WireReader.taskDetail(link.json(link.get("/api/tasks/" + id)));
        if (!task.header().status().equals("running")) {
            throw new CommandFailure(
                    "task "
                            + id
                            + " is "
                            + SafeText.line(task.header().status())
                            + "; read what it wrote with `berth logs "
                            + id
                            + "`");
        }
        if (task.output().tmuxSession() == null) {
            throw new CommandFailure(
                    "task "
                            + id
                            + " has no tmux window; follow it with `berth logs -f "
                            + id
                            + "`");
        }
        return task.output().tmuxSession();
    }

    /**
     * The tmux program that the server uses: a path in the configuration is relative to the
     * server's home.
     */
    private static String program(ServerConnection link) {
        var config = WireReader.configEntryList(link.json(link.get("/api/config")));
        var home = WireReader.serverInfo(link.json(link.get("/api/server"))).home();
        return ConfigCommand.text("tmux_path", config)
                .map(path -> Path.of(home).resolve(path).toString())
                .orElse("tmux");
    }

    /** The windows of tasks that version 0.1.0 started are in the user's own tmux server. */
    private static List<String> server(Window window) throws IOException, InterruptedException {
        var ours = List.of(window.tmux(), "-L", TMUX_SERVER);
        var search = new ArrayList<>(ours);
        search.addAll(List.of("has-session", "-t", "=" + window.session()));
        int status =
                new ProcessBuilder(search)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor();
        return status == 0 ? ours : List.of(window.tmux());
    }

    private static int show(Window window, CallContext context)
            throws IOException, InterruptedException {
        // A client of Berth's tmux server switches sessions. In another tmux the window is nested,
        // which tmux allows only without this variable.
        boolean isInsideOurs =
                context.env().getOrDefault("TMUX", "").contains("/" + TMUX_SERVER + ",");
        var command = new ArrayList<>(server(window));
        command.add(isInsideOurs ? "switch-client" : "attach-session");
        command.add("-t");
        command.add("=" + window.session());
        var builder = new ProcessBuilder(command).inheritIO();
        if (!isInsideOurs) {
            builder.environment().remove("TMUX");
        }
        return builder.start().waitFor();
    }
}
