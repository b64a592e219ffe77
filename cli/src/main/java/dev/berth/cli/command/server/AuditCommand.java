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
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.EventInfo;

import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Prints who did what. */
public final class AuditCommand implements CliCommand {

    private static final CommandOption NUMBER =
            CommandOption.withValue("-n", "N", "only the newest N; 50 if unset");
    private static final CommandOption ACTOR =
            CommandOption.withValue("--actor", "NAME", "only what this user did");
    private static final CommandOption TASK =
            CommandOption.withValue("--task", "ID", "only what is about this task");
    private static final CommandOption KIND =
            CommandOption.withValue(
                    "--kind", "KIND", "only events of this kind, as task.cancelled or token");
    private static final CommandOption SINCE =
            CommandOption.withValue(
                    "--since", "TIME", "from this time on: 2h, 7d or 2026-01-31T08:00:00Z");
    private static final CommandOption BERTH =
            CommandOption.flag("--berth", "also what Berth itself did");

    private static final int DEFAULT_NUMBER = 50;
    private static final int MAX_NUMBER = 1000;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "audit",
                "",
                "Show who did what, newest first",
                List.of(NUMBER, ACTOR, TASK, KIND, SINCE, BERTH, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        String target = target(options, context);
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get(target);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<EventInfo> events = WireReader.eventInfoList(connection.json(reply));
            if (events.isEmpty()) {
                context.out().println("No such events.");
            }
            print(events, context);
            return 0;
        }
    }

    private static String target(ParsedOptions options, CallContext context) {
        StringBuilder query = new StringBuilder("/api/audit?limit=");
        query.append(number(options.value(NUMBER)));
        add(query, "actor", options.value(ACTOR));
        add(query, "task", options.value(TASK));
        add(query, "kind", options.value(KIND));
        add(query, "since", since(options.value(SINCE), context));
        if (options.has(BERTH)) {
            query.append("&berth=true");
        }
        return query.toString();
    }

    private static int number(@Nullable String text) {
        int number = text == null ? DEFAULT_NUMBER : AmountParser.count(text).orElse(0);
        if (number < 1 || number > MAX_NUMBER) {
            throw new UsageError("-n needs a number from 1 to " + MAX_NUMBER);
        }
        return number;
    }

    private static @Nullable String since(@Nullable String text, CallContext context) {
        if (text == null) {
            return null;
        }
        OptionalInt ago = AmountParser.seconds(text);
        if (ago.isPresent()) {
            long now = context.clock().now().getEpochSecond();
            return Instant.ofEpochSecond(now - ago.getAsInt()).toString();
        }
        if (TimestampText.parseEpochSecond(text).isEmpty()) {
            throw new UsageError("--since needs a time like 2h, 7d or 2026-01-31T08:00:00Z");
        }
        return text;
    }

    private static void add(StringBuilder query, String name, @Nullable String value) {
        if (value != null) {
            query.append('&').append(name).append('=');
            query.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
        }
    }

    private static void print(List<EventInfo> events, CallContext context) {
        int actors = 0;
        int kinds = 0;
        for (EventInfo event : events) {
            actors = Math.max(actors, actor(event).length());
            kinds = Math.max(kinds, event.kind().length());
        }
        for (EventInfo event : events) {
            String line =
                    time(event.at(), context)
                            + "  "
                            + padded(actor(event), actors)
                            + "  "
                            + padded(SafeText.line(event.kind()), kinds)
                            + details(event);
            context.out().println(line.stripTrailing());
        }
    }

    private static String actor(EventInfo event) {
        String via = event.via();
        return SafeText.line(event.actor() + (via == null ? "" : " (" + via + ")"));
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static String details(EventInfo event) {
        StringBuilder text = new StringBuilder();
        if (event.taskId() != null) {
            text.append("  task=").append(event.taskId());
        }
        String owner = event.owner();
        if (owner != null && !owner.equals(event.actor())) {
            text.append("  of=").append(SafeText.line(owner));
        }
        for (Map.Entry<String, String> field : new TreeMap<>(event.data()).entrySet()) {
            if (!field.getValue().isEmpty()) {
                text.append("  ").append(SafeText.line(field.getKey() + "=" + field.getValue()));
            }
        }
        return text.toString();
    }

    private static String time(String iso, CallContext context) {
        OptionalLong second = TimestampText.parseEpochSecond(iso);
        return second.isEmpty()
                ? "?"
                : TimestampText.format(
                        second.getAsLong(), context.clock().offsetAt(second.getAsLong()));
    }
}
