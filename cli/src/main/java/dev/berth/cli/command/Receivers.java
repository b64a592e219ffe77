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
import dev.berth.cli.link.Request;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Paint;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Who is told of what happens; or a try whether it reaches one of them. */
public final class Receivers implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax(
                "receivers",
                "[test NAME]",
                "Show who is told of what happens; or send one a test message",
                List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        if (words.isEmpty()) {
            return list(given, around);
        }
        if (!words.getFirst().equals("test") || words.size() != 2) {
            throw new UsageError("receivers takes nothing, or: test NAME");
        }
        return test(words.getLast(), given, around);
    }

    private static int test(String name, Options given, Surroundings around) {
        String target =
                "/api/receivers/" + URLEncoder.encode(name, StandardCharsets.UTF_8) + "/test";
        try (Link link = Link.open(given, around)) {
            // The server gives up on a receiver in time, but not on this.
            Reply reply =
                    link.ask(Request.post(target, "").within(Request.PATIENCE.multipliedBy(2)));
            ReceiverTest test = NewsReader.test(link.json(reply));
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else if (test.delivered()) {
                around.out().println("delivered: " + Clean.line(test.detail()));
            } else {
                around.note("not delivered: " + Clean.line(test.detail()));
            }
            return test.delivered() ? 0 : 1;
        }
    }

    private static int list(Options given, Surroundings around) {
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get("/api/receivers");
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
                return 0;
            }
            List<ReceiverInfo> receivers = NewsReader.receivers(link.json(reply));
            if (receivers.isEmpty()) {
                around.out().println("Nobody is told of anything. See docs/messages.md.");
            } else {
                around.out().print(table(receivers, around));
            }
            return 0;
        }
    }

    private static String table(List<ReceiverInfo> receivers, Surroundings around) {
        long now = around.time().now().getEpochSecond();
        List<Cell> names = new ArrayList<>();
        List<Cell> kinds = new ArrayList<>();
        List<Cell> tos = new ArrayList<>();
        List<Cell> events = new ArrayList<>();
        List<Cell> states = new ArrayList<>();
        List<Cell> waiting = new ArrayList<>();
        List<Cell> last = new ArrayList<>();
        List<Cell> errors = new ArrayList<>();
        for (ReceiverInfo one : receivers) {
            names.add(Cell.of(one.name()));
            kinds.add(Cell.of(one.kind()));
            tos.add(Cell.of(one.to()));
            events.add(Cell.of(events(one)));
            states.add(new Cell(one.state(), paint(one.state())));
            waiting.add(Cell.of(Integer.toString(one.waiting())));
            last.add(Cell.of(ago(one.lastDeliveredAt(), now)));
            errors.add(Cell.of(one.lastError() == null ? "" : one.lastError()));
        }
        Table table = new Table();
        table.add("NAME", Table.Kind.LEFT, names);
        table.add("KIND", Table.Kind.LEFT, kinds);
        table.add("TO", Table.Kind.SHRINKS, tos);
        table.add("HEARS", Table.Kind.SHRINKS, events);
        table.add("STATE", Table.Kind.LEFT, states);
        table.add("WAITING", Table.Kind.RIGHT, waiting);
        table.add("LAST", Table.Kind.RIGHT, last);
        table.add("ERROR", Table.Kind.SHRINKS, errors);
        return table.render(around.width(), around.colours());
    }

    private static String events(ReceiverInfo one) {
        List<String> users = one.users();
        String events = String.join(" ", one.events());
        return users == null ? events : events + " of " + String.join(" ", users);
    }

    private static String ago(@Nullable String time, long now) {
        OptionalLong at = Moment.epochSecond(time);
        return at.isPresent() ? Age.brief(now - at.getAsLong()) : "";
    }

    private static Paint paint(String state) {
        return switch (state) {
            case "ok" -> Paint.GREEN;
            case "retrying" -> Paint.YELLOW;
            default -> Paint.RED;
        };
    }
}
