package dev.berth.cli.command.server;

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
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.Alert;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Prints the recent alerts. */
public final class AlertsCommand implements CliCommand {

    private static final CommandOption NUMBER =
            CommandOption.withValue("-n", "N", "only the newest N; 20 if unset");
    private static final CommandOption LEVEL =
            CommandOption.withValue(
                    "--level", "L", "only this level and above: INFO, WARNING or CRITICAL");

    private static final int DEFAULT_NUMBER = 20;
    private static final int MAX_NUMBER = 1000;
    private static final int LEVEL_WIDTH = 8;
    private static final int AGE_WIDTH = 4;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "alerts",
                "",
                "Show the alerts, newest first",
                List.of(NUMBER, LEVEL, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        String target = "/api/alerts?limit=" + number(options.value(NUMBER)) + level(options);
        // The rest of the terminal output is English, too.
        String language = options.has(CommandOption.JSON) ? "" : "&language=en";
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get(target + language);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<Alert> alerts = WireReader.alertList(connection.json(reply));
            if (alerts.isEmpty()) {
                context.out().println("No alerts.");
            }
            long now = context.clock().now().getEpochSecond();
            for (Alert alert : alerts) {
                context.out().println(line(alert, now, context.usesColours()));
            }
            return 0;
        }
    }

    private static int number(@Nullable String text) {
        int number = text == null ? DEFAULT_NUMBER : AmountParser.count(text).orElse(0);
        if (number < 1 || number > MAX_NUMBER) {
            throw new UsageError("-n needs a number from 1 to " + MAX_NUMBER);
        }
        return number;
    }

    private static String level(ParsedOptions options) {
        String text = options.value(LEVEL);
        if (text == null) {
            return "";
        }
        String level = text.toUpperCase(Locale.ROOT);
        if (!List.of("INFO", "WARNING", "CRITICAL").contains(level)) {
            throw new UsageError("--level must be INFO, WARNING or CRITICAL");
        }
        return "&level=" + level;
    }

    private static String line(Alert alert, long now, boolean colours) {
        String level = SafeText.line(alert.level());
        OptionalLong at = TimestampText.parseEpochSecond(alert.at());
        String age = at.isPresent() ? DurationText.brief(now - at.getAsLong()) : "?";
        return paint(level).apply(level, colours)
                + " ".repeat(Math.max(0, LEVEL_WIDTH - level.length()))
                + " ".repeat(Math.max(0, AGE_WIDTH - age.length()) + 1)
                + age
                + "  "
                + SafeText.line(alert.message());
    }

    private static TextStyle paint(String level) {
        return switch (level) {
            case "CRITICAL" -> TextStyle.RED;
            case "WARNING" -> TextStyle.YELLOW;
            default -> TextStyle.DIM;
        };
    }
}
