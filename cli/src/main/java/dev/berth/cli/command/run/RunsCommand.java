package dev.berth.cli.command.run;

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
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Lists the runs of command files with their lanes, or stops one run. */
public final class RunsCommand implements CliCommand {

    private static final CommandOption ALL =
            CommandOption.flag("--all", "also show the last ended run of each file")
                    .withShortName("-a");
    private static final CommandOption KEEP_RUNNING =
            CommandOption.flag(
                    "--keep-running", "with stop: running tasks continue, nothing new starts");

    /** Every lane. */
    private static final int ALL_LANES = Integer.MAX_VALUE;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "runs",
                "[stop RUN]",
                "Show the running command files with their lanes, or stop one",
                List.of(ALL, KEEP_RUNNING, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        if (!arguments.isEmpty()) {
            return stop(arguments, options, context);
        }
        if (options.has(KEEP_RUNNING)) {
            throw new UsageError("--keep-running is for stop only");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            List<@Nullable Object> runs = new ArrayList<>();
            if (options.has(ALL)) {
                runs.addAll(list(connection, "/api/scheduler/single/state"));
                runs.addAll(list(connection, "/api/scheduler/multi/state"));
                runs.sort((run, other) -> Long.compare(pid(run), pid(other)));
            } else {
                runs.addAll(list(connection, "/api/scheduler/running"));
            }
            if (options.has(CommandOption.JSON)) {
                context.out().println(JsonWriter.write(runs));
            } else if (runs.isEmpty()) {
                context.out().println("No command file runs. Start one: berth run FILE");
            }
            for (Object run : options.has(CommandOption.JSON) ? List.<Object>of() : runs) {
                print(WireReader.runState(run), context);
            }
            return 0;
        }
    }

    private static List<?> list(ServerConnection connection, String target) {
        if (connection.json(connection.get(target)) instanceof List<?> runs) {
            return runs;
        }
        throw new CommandFailure("the server sent no list of runs");
    }

    private static long pid(@Nullable Object run) {
        return WireReader.runState(run).pid();
    }

    private static void print(RunState run, CallContext context) {
        RunText text = new RunText(run, context.clock().now().getEpochSecond());
        context.out().println(text.headline(context.usesColours()));
        if (!text.reason().isEmpty()) {
            context.out().println(text.reason());
        }
        for (String lane : text.lanes(ALL_LANES, context.width(), context.usesColours())) {
            context.out().println(lane);
        }
    }

    private static int stop(List<String> arguments, ParsedOptions options, CallContext context) {
        if (!arguments.getFirst().equals("stop") || arguments.size() != 2) {
            throw new UsageError("runs takes no argument, or: stop and the number of a run");
        }
        if (options.has(ALL)) {
            throw new UsageError("--all cannot be used with stop");
        }
        String pid = arguments.getLast();
        if (!pid.matches("[1-9][0-9]{0,17}")) {
            throw new UsageError(
                    "'"
                            + SafeText.line(pid)
                            + "' is not a run: they are numbers from 1 up, as `berth runs` shows");
        }
        String query = options.has(KEEP_RUNNING) ? "?keep_running=true" : "";
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply =
                    connection.send(ApiRequest.post("/api/scheduler/stop/" + pid + query, ""));
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                RunState run = WireReader.runState(connection.json(reply));
                context.out()
                        .println(
                                "run "
                                        + run.pid()
                                        + " "
                                        + SafeText.line(run.status())
                                        + ": "
                                        + RunText.counts(run));
            }
            return 0;
        }
    }
}
