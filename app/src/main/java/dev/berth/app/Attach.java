package dev.berth.app;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.command.Config;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Opens a running task's tmux window in this terminal. */
final class Attach implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax(
                "attach",
                "ID",
                "Watch a running task in its tmux window (leave with Ctrl-b d)",
                List.of());
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        if (given.arguments().size() != 1 || !given.arguments().getFirst().matches("[0-9]{1,18}")) {
            throw new UsageError("attach takes one task id");
        }
        var id = given.arguments().getFirst();
        if (!around.terminal()) {
            throw new Refused(
                    "attach needs a terminal; follow the task with `berth logs -f " + id + "`");
        }
        Window window;
        try (var link = Link.open(given, around)) {
            window = new Window(program(link), session(link, id));
        }
        around.out().flush();
        if (show(window, around) != 0) {
            throw new Refused(
                    "tmux did not show the window; follow the task with `berth logs -f "
                            + id
                            + "`");
        }
        return 0;
    }

    private record Window(String tmux, String session) {}

    private static String session(Link link, String id) {
        var task = WireReader.detail(link.json(link.get("/api/tasks/" + id)));
        if (!task.status().equals("running")) {
            throw new Refused(
                    "task "
                            + id
                            + " is "
                            + Clean.line(task.status())
                            + "; read what it wrote with `berth logs "
                            + id
                            + "`");
        }
        if (task.tmuxSession() == null) {
            throw new Refused(
                    "task "
                            + id
                            + " has no tmux window; follow it with `berth logs -f "
                            + id
                            + "`");
        }
        return task.tmuxSession();
    }

    /** As the server uses it: a path in its configuration is relative to its home. */
    private static String program(Link link) {
        var config = WireReader.config(link.json(link.get("/api/config")));
        var home = WireReader.server(link.json(link.get("/api/server"))).home();
        return Config.text("tmux_path", config)
                .map(path -> Path.of(home).resolve(path).toString())
                .orElse("tmux");
    }

    private static int show(Window window, Surroundings around)
            throws IOException, InterruptedException {
        // Inside tmux its own client goes there: one window within another helps nobody.
        boolean isInside = !around.env().getOrDefault("TMUX", "").isEmpty();
        return new ProcessBuilder(
                        window.tmux(),
                        isInside ? "switch-client" : "attach-session",
                        "-t",
                        "=" + window.session())
                .inheritIO()
                .start()
                .waitFor();
    }
}
