package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.json.WireReader;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Explains why a task waits, GPU by GPU. */
public final class WhyCommand implements CliCommand {

    private static final CommandOption SCORES =
            CommandOption.flag("--scores", "also show how each placement rule scores each GPU");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "why",
                "ID…",
                "Explain why a task waits, with a verdict for each GPU",
                List.of(SCORES, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        return TaskLoop.run(
                options,
                context,
                (id, connection) -> {
                    TaskDetail task =
                            WireReader.taskDetail(
                                    connection.json(connection.get("/api/tasks/" + id)));
                    ApiReply reply = connection.get("/api/tasks/" + id + "/placement");
                    PlacementText text =
                            new PlacementText(
                                    task, WireReader.placement(connection.json(reply)), context);
                    return new TaskLoop.TaskResult(reply, text.text(options.has(SCORES)), 0);
                });
    }
}
