package dev.berth.cli.command.server;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TimestampText;

import java.util.List;
import java.util.OptionalLong;

/** Enables or disables the start of tasks; running tasks continue in both cases. */
public final class SchedulerCommand implements CliCommand {

    private static final String PATH = "/api/scheduler";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "scheduler",
                "start | stop | status",
                "Start or stop the scheduler, or show its state",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        String verb = arguments.size() == 1 ? arguments.getFirst() : "";
        if (!List.of("start", "stop", "status").contains(verb)) {
            throw new UsageError(
                    verb.isEmpty()
                            ? "give an action: start, stop or status"
                            : "no '" + SafeText.line(verb) + "' here: start, stop or status");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply =
                    verb.equals("status")
                            ? connection.get(PATH)
                            : connection.send(ApiRequest.post(PATH + "/" + verb, ""));
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                dev.berth.wire.Scheduler now = WireReader.scheduler(connection.json(reply));
                context.out()
                        .println(
                                verb.equals("status") ? statusText(now, context) : changeText(now));
            }
            return 0;
        }
    }

    private static String changeText(dev.berth.wire.Scheduler now) {
        if (!now.changed()) {
            return "already " + state(now);
        }
        return now.running() ? "started" : "stopped: nothing new starts, running tasks continue";
    }

    private static String state(dev.berth.wire.Scheduler now) {
        return now.running() ? "running" : "stopped";
    }

    /** Without a time, the scheduler was never switched since the home was created. */
    private static String statusText(dev.berth.wire.Scheduler now, CallContext context) {
        OptionalLong since = TimestampText.parseEpochSecond(now.since());
        if (since.isEmpty()) {
            return state(now);
        }
        String by = now.by();
        long age = context.clock().now().getEpochSecond() - since.getAsLong();
        return (now.running() ? "running, started " : "stopped ")
                + DurationText.brief(age)
                + " ago"
                + (by == null ? "" : " by " + SafeText.line(by));
    }
}
