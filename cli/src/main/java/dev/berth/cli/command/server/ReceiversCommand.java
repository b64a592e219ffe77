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
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Lists the receivers of notifications, or sends a test notification to one of them. */
public final class ReceiversCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "receivers",
                "[test NAME]",
                "Show the receivers of alerts, or send one a test message",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        if (arguments.isEmpty()) {
            return list(options, context);
        }
        if (!arguments.getFirst().equals("test") || arguments.size() != 2) {
            throw new UsageError("receivers takes no argument, or: test NAME");
        }
        return test(arguments.getLast(), options, context);
    }

    private static int test(String name, ParsedOptions options, CallContext context) {
        String target =
                "/api/receivers/" + URLEncoder.encode(name, StandardCharsets.UTF_8) + "/test";
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            // The server limits the delivery itself, which may take as long as the default timeout.
            ApiReply reply =
                    connection.send(
                            ApiRequest.post(target, "")
                                    .withTimeout(ApiRequest.DEFAULT_TIMEOUT.multipliedBy(2)));
            ReceiverTest test = WireReader.receiverTest(connection.json(reply));
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else if (test.delivered()) {
                context.out().println("delivered: " + SafeText.line(test.detail()));
            } else {
                context.printMessage("not delivered: " + SafeText.line(test.detail()));
            }
            return test.delivered() ? 0 : 1;
        }
    }

    private static int list(ParsedOptions options, CallContext context) {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/receivers");
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<ReceiverInfo> receivers = WireReader.receiverInfoList(connection.json(reply));
            if (receivers.isEmpty()) {
                context.out().println("No receivers are configured. See docs/messages.md.");
            } else {
                context.out().print(table(receivers, context));
            }
            return 0;
        }
    }

    private static String table(List<ReceiverInfo> receivers, CallContext context) {
        long now = context.clock().now().getEpochSecond();
        List<Cell> names = new ArrayList<>();
        List<Cell> kinds = new ArrayList<>();
        List<Cell> targets = new ArrayList<>();
        List<Cell> events = new ArrayList<>();
        List<Cell> states = new ArrayList<>();
        List<Cell> waiting = new ArrayList<>();
        List<Cell> last = new ArrayList<>();
        List<Cell> errors = new ArrayList<>();
        for (ReceiverInfo receiver : receivers) {
            names.add(Cell.of(receiver.name()));
            kinds.add(Cell.of(receiver.kind()));
            targets.add(Cell.of(receiver.to()));
            events.add(Cell.of(events(receiver)));
            states.add(new Cell(receiver.state(), paint(receiver.state())));
            waiting.add(Cell.of(Integer.toString(receiver.waiting())));
            last.add(Cell.of(age(receiver.lastDeliveredAt(), now)));
            errors.add(Cell.of(receiver.lastError() == null ? "" : receiver.lastError()));
        }
        TextTable table = new TextTable();
        table.add("NAME", TextTable.ColumnKind.LEFT, names);
        table.add("KIND", TextTable.ColumnKind.LEFT, kinds);
        table.add("TO", TextTable.ColumnKind.SHRINKABLE, targets);
        table.add("EVENTS", TextTable.ColumnKind.SHRINKABLE, events);
        table.add("STATE", TextTable.ColumnKind.LEFT, states);
        table.add("WAITING", TextTable.ColumnKind.RIGHT, waiting);
        table.add("LAST", TextTable.ColumnKind.RIGHT, last);
        table.add("ERROR", TextTable.ColumnKind.SHRINKABLE, errors);
        return table.render(context.width(), context.usesColours());
    }

    private static String events(ReceiverInfo receiver) {
        List<String> users = receiver.users();
        String events = String.join(" ", receiver.events());
        return users == null ? events : events + " of " + String.join(" ", users);
    }

    private static String age(@Nullable String time, long now) {
        OptionalLong at = TimestampText.parseEpochSecond(time);
        return at.isPresent() ? DurationText.brief(now - at.getAsLong()) : "";
    }

    private static TextStyle paint(String state) {
        return switch (state) {
            case "ok" -> TextStyle.GREEN;
            case "retrying" -> TextStyle.YELLOW;
            default -> TextStyle.RED;
        };
    }
}
