package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.QueuePosition;

import java.util.List;

/** Prints the waiting tasks of each queue, or queues the drafts with the given ids. */
public final class QueueCommand implements CliCommand {

    private static final CommandOption NUMBER =
            CommandOption.withValue("-n", "N", "only the first N of each queue (100)");

    private static final CommandOption TIMELINE =
            CommandOption.flag("--timeline", "GPUs over time: what ran, runs and is expected");

    private static final int DEFAULT_NUMBER = 100;
    private static final int MAX_NUMBER = 1000;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "queue",
                "[ID…]",
                "Show the waiting tasks of each queue, or queue drafts",
                List.of(NUMBER, TIMELINE, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        if (!options.arguments().isEmpty()) {
            if (options.has(NUMBER) || options.has(TIMELINE)) {
                throw new UsageError("-n and --timeline cannot be used with ids");
            }
            return TaskLoop.run(options, context, QueueCommand::join);
        }
        int number = number(options);
        if (options.has(TIMELINE)) {
            return timeline(options, context);
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/queue?limit=" + number);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                QueueText queue =
                        new QueueText(
                                WireReader.queue(connection.json(reply)),
                                context.clock().now().getEpochSecond());
                context.out().print(queue.render(context.width(), context.usesColours()));
            }
            return 0;
        }
    }

    private static int timeline(ParsedOptions options, CallContext context) {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/timeline");
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                TimelineText timeline =
                        new TimelineText(
                                WireReader.timeline(connection.json(reply)),
                                context.clock(),
                                context.width(),
                                context.usesColours());
                context.out().print(timeline.render());
            }
            return 0;
        }
    }

    private static int number(ParsedOptions options) {
        String typed = options.value(NUMBER);
        int number = typed == null ? DEFAULT_NUMBER : AmountParser.count(typed).orElse(0);
        if (number < 1 || number > MAX_NUMBER) {
            throw new UsageError("-n needs a number from 1 to " + MAX_NUMBER);
        }
        return number;
    }

    private static TaskLoop.TaskResult join(long id, ServerConnection connection) {
        ApiReply reply = connection.send(ApiRequest.post("/experiments/" + id + "/queue/", ""));
        String status = WireReader.experimentDone(connection.json(reply)).experiment().status();
        return new TaskLoop.TaskResult(
                reply, id + " " + SafeText.line(status) + position(id, connection), 0);
    }

    /** The task is queued whether or not this request succeeds, and it may have started already. */
    private static String position(long id, ServerConnection connection) {
        try {
            QueuePosition reply =
                    WireReader.queuePosition(
                            connection.json(connection.get("/api/queue/position/" + id)));
            Integer position = reply.position();
            return position == null ? "" : ", " + TaskText.positionText(position);
        } catch (CommandFailure unknown) {
            return "";
        }
    }
}
