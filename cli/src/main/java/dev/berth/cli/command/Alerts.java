package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.NewsReader;
import dev.berth.cli.link.Reply;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Amount;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Paint;
import dev.berth.wire.Alert;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** What somebody should know of. */
public final class Alerts implements Command {

    private static final Option NUMBER = Option.valued("-n", "N", "only the newest N; 20 if unset");
    private static final Option LEVEL =
            Option.valued("--level", "L", "only these and worse: INFO, WARNING or CRITICAL");

    private static final int USUAL = 20;
    private static final int MOST = 1000;
    private static final int LEVEL_WIDTH = 8;
    private static final int AGE_WIDTH = 4;

    @Override
    public Syntax syntax() {
        return new Syntax(
                "alerts",
                "",
                "Show what somebody should know of, newest first",
                List.of(NUMBER, LEVEL, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        String target = "/api/alerts?limit=" + number(given.value(NUMBER)) + level(given);
        // Everything else in a terminal is English, too.
        String words = given.has(Option.JSON) ? "" : "&language=en";
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get(target + words);
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
                return 0;
            }
            List<Alert> alerts = NewsReader.alerts(link.json(reply));
            if (alerts.isEmpty()) {
                around.out().println("No alerts.");
            }
            long now = around.time().now().getEpochSecond();
            for (Alert alert : alerts) {
                around.out().println(line(alert, now, around.colours()));
            }
            return 0;
        }
    }

    private static int number(@Nullable String text) {
        int number = text == null ? USUAL : Amount.count(text).orElse(0);
        if (number < 1 || number > MOST) {
            throw new UsageError("-n takes a number from 1 to " + MOST);
        }
        return number;
    }

    private static String level(Options given) {
        String text = given.value(LEVEL);
        if (text == null) {
            return "";
        }
        String level = text.toUpperCase(Locale.ROOT);
        if (!List.of("INFO", "WARNING", "CRITICAL").contains(level)) {
            throw new UsageError("--level takes INFO, WARNING or CRITICAL");
        }
        return "&level=" + level;
    }

    private static String line(Alert alert, long now, boolean colours) {
        String level = Clean.line(alert.level());
        OptionalLong at = Moment.epochSecond(alert.at());
        String age = at.isPresent() ? Age.brief(now - at.getAsLong()) : "?";
        return paint(level).on(level, colours)
                + " ".repeat(Math.max(0, LEVEL_WIDTH - level.length()))
                + " ".repeat(Math.max(0, AGE_WIDTH - age.length()) + 1)
                + age
                + "  "
                + Clean.line(alert.message());
    }

    private static Paint paint(String level) {
        return switch (level) {
            case "CRITICAL" -> Paint.RED;
            case "WARNING" -> Paint.YELLOW;
            default -> Paint.DIM;
        };
    }
}
