package dev.berth.cli.command.gpu;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.wire.UsageReport;

import java.util.List;

/**
 * Prints how much of the GPUs each user had, how long tasks waited, and how well the GPUs were
 * used.
 */
public final class UsageCommand implements CliCommand {

    private static final CommandOption DAYS =
            CommandOption.withValue("--days", "N", "the last N days (7)");

    private static final int DEFAULT_DAYS = 7;
    private static final int MAX_DAYS = 366;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "usage",
                "",
                "Show how much GPU time each user had, and how well it was used",
                List.of(DAYS, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        String typed = options.value(DAYS);
        int days = typed == null ? DEFAULT_DAYS : AmountParser.count(typed).orElse(0);
        if (days < 1 || days > MAX_DAYS) {
            throw new UsageError("--days needs a number from 1 to " + MAX_DAYS);
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/usage?days=" + days);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            UsageReport report = WireReader.usageReport(connection.json(reply));
            if (report.users().isEmpty()) {
                String time = days == 1 ? "day" : days + " days";
                context.out().println("Nothing ran in the last " + time + ".");
            } else {
                UsageTable table = new UsageTable(report);
                context.out().print(table.render(context.width(), context.usesColours()));
            }
            return 0;
        }
    }
}
