package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.json.WireReader;

import java.util.List;

/** Prints everything about the given tasks. */
public final class ShowCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "show", "ID…", "Show all details of tasks", List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        return TaskLoop.run(
                options,
                context,
                (id, connection) -> {
                    ApiReply reply = connection.get("/api/tasks/" + id);
                    TaskText text =
                            new TaskText(WireReader.taskDetail(connection.json(reply)), context);
                    return new TaskLoop.TaskResult(reply, text.text(), 0);
                });
    }
}
