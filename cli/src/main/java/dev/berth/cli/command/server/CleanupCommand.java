package dev.berth.cli.command.server;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.Confirmation;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.CleanupList;
import dev.berth.wire.LeftProcess;
import dev.berth.wire.LeftRecord;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/** Lists what abnormal ends left behind, and removes it after a confirmation. */
public final class CleanupCommand implements CliCommand {

    private static final CommandOption YES =
            CommandOption.flag("--yes", "remove without asking").withShortName("-y");
    private static final String QUESTION = "Remove these records and end these processes?";
    private static final String PATH = "/api/cleanup";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "cleanup",
                "",
                "Show and remove leftover processes and records of ended tasks",
                List.of(YES, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        options.expectNoArguments();
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply listed = connection.get(PATH);
            CleanupList left = WireReader.cleanupList(connection.json(listed));
            boolean isEmpty = left.records().isEmpty() && left.processes().isEmpty();
            if (options.has(CommandOption.JSON)) {
                boolean isRemoval = options.has(YES) && !isEmpty;
                ApiReply reply = isRemoval ? connection.send(ApiRequest.post(PATH, "")) : listed;
                context.out().println(reply.body().strip());
                return 0;
            }
            if (isEmpty) {
                context.out().println("Nothing is left over.");
                return 0;
            }
            if (!options.has(YES)) {
                print("left over: ", left, context);
                if (!context.isTerminal()) {
                    throw new CommandFailure("nothing was removed: --yes removes it");
                }
                if (!Confirmation.ask(QUESTION, context)) {
                    throw new CommandFailure("nothing was removed");
                }
            }
            // The server searches again: its reply lists what it has removed.
            print(
                    "removed: ",
                    WireReader.cleanupList(
                            connection.json(connection.send(ApiRequest.post(PATH, "")))),
                    context);
            return 0;
        }
    }

    private static void print(String prefix, CleanupList list, CallContext context) {
        for (LeftRecord leftover : list.records()) {
            Long pid = leftover.pid();
            context.out()
                    .println(
                            prefix
                                    + "record "
                                    + SafeText.line(leftover.uniId())
                                    + " ("
                                    + SafeText.line(leftover.state())
                                    + (pid == null ? "" : ", pid " + pid)
                                    + ")");
        }
        for (LeftProcess leftover : list.processes()) {
            context.out().println(prefix + process(leftover, context));
        }
        if (list.records().isEmpty() && list.processes().isEmpty()) {
            context.out().println("Nothing is left over.");
        }
    }

    private static String process(LeftProcess leftover, CallContext context) {
        Long task = leftover.taskId();
        Integer attempt = leftover.attempt();
        OptionalLong since = TimestampText.parseEpochSecond(leftover.since());
        long now = context.clock().now().getEpochSecond();
        return "process "
                + leftover.pid()
                + " "
                + SafeText.line(leftover.program())
                + (task == null ? "" : ", task " + task)
                + (attempt == null ? "" : " attempt " + attempt)
                + (since.isEmpty() ? "" : ", for " + DurationText.brief(now - since.getAsLong()));
    }
}
