package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TaskDetail;

import java.util.List;

/**
 * Cancels tasks. The command returns when the server has recorded the request; the processes end
 * later.
 */
public final class CancelCommand implements CliCommand {

    private static final CommandOption WAIT =
            CommandOption.flag("--wait", "wait until they have ended");

    /** Accepted, but the database cannot be written now. */
    private static final int ACCEPTED = 202;

    private static final String PENDING =
            " (its processes are being ended; the cancel is recorded when the database can be"
                    + " written again)";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "cancel",
                "ID…",
                "Cancel tasks: end those that run, remove those that wait from the queue",
                List.of(WAIT, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        return TaskLoop.run(
                options,
                context,
                (id, connection) -> {
                    ApiReply reply =
                            connection.send(ApiRequest.post("/api/tasks/" + id + "/cancel", ""));
                    boolean isPending = reply.status() == ACCEPTED;
                    if (options.has(WAIT)) {
                        reply = TaskCompletion.await(id, connection, context.clock());
                    }
                    TaskDetail task = WireReader.taskDetail(connection.json(reply));
                    String state =
                            TaskCompletion.isFinal(task.header().status())
                                    ? task.header().status()
                                    : task.header().phase();
                    String line = id + " " + SafeText.line(state);
                    return new TaskLoop.TaskResult(reply, isPending ? line + PENDING : line, 0);
                });
    }
}
