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

/** Explains why a task waits, and what would help. */
public final class WhyCommand implements CliCommand {

    private static final CommandOption SCORES =
            CommandOption.flag("--scores", "also show how each placement rule scores each GPU");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "why",
                "ID…",
                "Explain why a task waits, who is ahead of it, and what would let it start earlier",
                List.of(SCORES, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        boolean scores = options.has(SCORES);
        return TaskLoop.run(
                options,
                context,
                (id, connection) -> {
                    String path = "/api/tasks/" + id;
                    TaskDetail task = WireReader.taskDetail(connection.json(connection.get(path)));
                    ApiReply why = connection.get(path + "/why");
                    String text =
                            new WhyText(task, WireReader.why(connection.json(why)), context).text();
                    if (!scores) {
                        return new TaskLoop.TaskResult(why, text, 0);
                    }
                    ApiReply placement = connection.get(path + "/placement");
                    PlacementText tables =
                            new PlacementText(
                                    task,
                                    WireReader.placement(connection.json(placement)),
                                    context);
                    return new TaskLoop.TaskResult(placement, text + tables.text(), 0);
                });
    }
}
