package dev.berth.cli.command.log;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.task.TaskCompletion;
import dev.berth.cli.command.task.TaskIds;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TaskLog;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Prints the log of a task or of the server. */
public final class LogsCommand implements CliCommand {

    private static final CommandOption FOLLOW =
            CommandOption.flag("--follow", "follow the log until the task ends")
                    .withShortName("-f");
    private static final CommandOption TAIL =
            CommandOption.withValue("--tail", "N", "start with the last N lines (100)")
                    .withShortName("-n");
    private static final CommandOption SERVER =
            CommandOption.flag("--server", "the server's own log; works without a running server");
    private static final CommandOption KIND =
            CommandOption.withValue(
                    "--kind",
                    "K",
                    "with --server: only these events, like attempt.granted or task.");
    static final CommandOption RAW =
            CommandOption.flag("--raw", "print the log unchanged, with control sequences");

    private static final int DEFAULT_TAIL = 100;
    static final Duration MIN_PAUSE = Duration.ofMillis(100);
    static final Duration MAX_PAUSE = Duration.ofSeconds(1);

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "logs",
                "ID | --server",
                "Print the log of a task or of the server",
                List.of(FOLLOW, TAIL, SERVER, KIND, RAW, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        if (options.has(SERVER)) {
            options.expectNoArguments();
            ServerLog log = new ServerLog(options.values(KIND), options, context);
            log.print(tail(options.value(TAIL)));
            if (options.has(FOLLOW)) {
                log.follow();
            }
            return 0;
        }
        if (options.has(KIND)) {
            throw new UsageError("--kind is for --server only");
        }
        List<Long> ids = TaskIds.parse(options.arguments());
        if (ids.size() > 1) {
            throw new UsageError("give one task id");
        }
        int tail = tail(options.value(TAIL));
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            String logs = "/api/tasks/" + ids.getFirst() + "/logs";
            ApiReply reply = connection.get(logs + "?tail=" + tail);
            TaskLog log = WireReader.taskLog(connection.json(reply));
            print(reply, log, options, context);
            if (log.truncated() && context.isTerminal() && !options.has(TAIL)) {
                context.printMessage("earlier lines are not shown: use --tail N");
            }
            if (options.has(FOLLOW)) {
                follow(log.nextOffset(), ids.getFirst(), connection, options, context);
            }
            return 0;
        }
    }

    private static int tail(@Nullable String typed) {
        int lines = typed == null ? DEFAULT_TAIL : AmountParser.count(typed).orElse(0);
        if (lines == 0) {
            throw new UsageError("--tail needs a number, 1 or more");
        }
        return lines;
    }

    private static void follow(
            long start,
            long id,
            ServerConnection connection,
            ParsedOptions options,
            CallContext context)
            throws InterruptedException {
        long offset = start;
        Duration pause = MIN_PAUSE;
        while (!context.out().checkError()) { // The reader of a pipe may have closed it.
            // Reads the status before the log, so that everything written before the end is read.
            ApiReply state =
                    connection.sendWithRetries(
                            TaskCompletion.MAX_OUTAGE, ApiRequest.get("/api/tasks/" + id));
            boolean ended =
                    TaskCompletion.isFinal(
                            WireReader.taskDetail(connection.json(state)).header().status());
            ApiReply reply =
                    connection.sendWithRetries(
                            TaskCompletion.MAX_OUTAGE,
                            ApiRequest.get("/api/tasks/" + id + "/logs?from=" + offset));
            TaskLog piece = WireReader.taskLog(connection.json(reply));
            boolean moved = piece.nextOffset() != offset;
            offset = piece.nextOffset();
            if (!piece.lines().isEmpty()) {
                print(reply, piece, options, context);
            }
            if (ended) {
                if (!moved) {
                    return;
                }
                continue;
            }
            pause = moved ? MIN_PAUSE : pause.multipliedBy(2);
            pause = pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
            context.clock().sleep(pause);
        }
    }

    private static void print(
            ApiReply reply, TaskLog log, ParsedOptions options, CallContext context) {
        if (options.has(CommandOption.JSON)) {
            context.out().println(reply.body().strip());
            return;
        }
        boolean raw = options.has(RAW);
        StringBuilder text = new StringBuilder();
        for (String line : log.lines()) {
            text.append(raw ? line : SafeText.logLine(line)).append('\n');
        }
        context.out().print(text);
        context.out().flush();
    }
}
