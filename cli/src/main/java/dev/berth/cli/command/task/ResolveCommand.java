package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.Confirmation;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/** Decides what became of a task that Berth lost, or that cannot be ended. */
public final class ResolveCommand implements CliCommand {

    private static final CommandOption PID =
            CommandOption.withValue("--pid", "PID", "with running: the process it runs as");
    private static final CommandOption FORCE =
            CommandOption.flag(
                    "--force", "although its processes are seen (stuck) or cannot be listed");
    private static final CommandOption YES =
            CommandOption.flag("--yes", "do not ask").withShortName("-y");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "resolve",
                "ID ended|running|requeue",
                "Decide what became of a task that is lost or cannot be ended",
                List.of(PID, FORCE, YES, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        List<String> arguments = options.arguments();
        if (arguments.size() != 2) {
            throw new UsageError("expected a task and ended, running or requeue");
        }
        String as = arguments.getLast();
        String risk = risk(as);
        String body = body(as, options);
        List<Long> ids = TaskIds.parse(arguments.subList(0, 1));
        if (!options.has(YES)) {
            context.printMessage(risk);
            if (!context.isTerminal()) {
                throw new CommandFailure("nothing was changed: --yes does it");
            }
            if (!Confirmation.ask("Resolve task " + ids.getFirst() + " as " + as + "?", context)) {
                throw new CommandFailure("nothing was changed");
            }
        }
        return TaskLoop.run(
                ids,
                options,
                context,
                (id, connection) -> {
                    var reply =
                            connection.send(ApiRequest.post("/api/tasks/" + id + "/resolve", body));
                    TaskDetail task = WireReader.taskDetail(connection.json(reply));
                    return new TaskLoop.TaskResult(
                            reply, id + " " + SafeText.line(task.header().status()), 0);
                });
    }

    private static String risk(String as) {
        return switch (as) {
            case "ended" ->
                    "The task counts as failed and its GPUs are free. If it runs after all, its"
                            + " GPUs may be given to others while it uses them.";
            case "requeue" ->
                    "The task starts again. If the lost attempt runs after all, two copies write"
                            + " the same files.";
            case "running" ->
                    "Berth watches the process again. If it is not the task's process, a later"
                            + " cancel ends the wrong one.";
            default -> throw new UsageError("expected ended, running or requeue, not " + as);
        };
    }

    private static String body(String as, ParsedOptions options) {
        String pid = options.value(PID);
        return "{\"as\":\""
                + as
                + "\""
                + (pid == null ? "" : ",\"pid\":" + number(pid))
                + (options.has(FORCE) ? ",\"force\":true" : "")
                + "}";
    }

    private static int number(@Nullable String pid) {
        try {
            return Integer.parseInt(String.valueOf(pid));
        } catch (NumberFormatException _) {
            throw new UsageError("--pid takes a process id");
        }
    }
}
