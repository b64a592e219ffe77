package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.InterruptMessage;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.json.WireReader;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Waits until tasks have ended and exits with their exit code. */
public final class WaitCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "wait",
                "ID…",
                "Wait for tasks to end; exits with their exit code (130: cancelled)",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        List<Long> ids = TaskIds.parse(options.arguments());
        try (InterruptMessage _ =
                InterruptMessage.install(context, () -> TaskCompletion.interruption(ids))) {
            return TaskLoop.run(
                    ids,
                    options,
                    context,
                    (id, connection) -> {
                        ApiReply reply = TaskCompletion.await(id, connection, context.clock());
                        TaskDetail task = WireReader.taskDetail(connection.json(reply));
                        return new TaskLoop.TaskResult(
                                reply,
                                id + " " + TaskCompletion.describe(task),
                                TaskCompletion.exitStatus(task));
                    });
        }
    }
}
