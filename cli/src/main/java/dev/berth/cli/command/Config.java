package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.wire.ConfigEntry;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is set, and where. */
public final class Config implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax(
                "config",
                "[get KEY [DEFAULT]]",
                "Show the configuration in force, or one key of it",
                List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        boolean one = !words.isEmpty();
        if (one && (!words.getFirst().equals("get") || words.size() < 2 || words.size() > 3)) {
            throw new UsageError("config takes nothing, or: get KEY [DEFAULT]");
        }
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get("/api/config");
            List<ConfigEntry> entries = WireReader.config(link.json(reply));
            if (one) {
                return get(words, entries, given.has(Option.JSON), around);
            }
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else {
                around.out().print(table(entries, around));
            }
            return 0;
        }
    }

    private static int get(
            List<String> words, List<ConfigEntry> entries, boolean json, Surroundings around) {
        Object value = value(words.get(1), entries);
        if (value == null && words.size() == 3) {
            value = words.get(2);
        }
        if (value == null) {
            throw new Refused(
                    "there is no value for '"
                            + Clean.line(words.get(1))
                            + "' (`berth config` lists all keys)");
        }
        around.out().println(json ? JsonText.of(value) : text(value));
        return 0;
    }

    /** The value of a key that holds a text. */
    public static Optional<String> text(String name, List<ConfigEntry> entries) {
        return Optional.ofNullable(value(name, entries))
                .filter(String.class::isInstance)
                .map(String.class::cast);
    }

    /** By its whole name, or by the last part of it. */
    private static @Nullable Object value(String name, List<ConfigEntry> entries) {
        for (ConfigEntry entry : entries) {
            if (entry.key().equals(name) || entry.key().endsWith("." + name)) {
                return entry.value();
            }
        }
        return null;
    }

    private static String table(List<ConfigEntry> entries, Surroundings around) {
        List<Cell> keys = new ArrayList<>();
        List<Cell> values = new ArrayList<>();
        List<Cell> sources = new ArrayList<>();
        List<Cell> abouts = new ArrayList<>();
        for (ConfigEntry entry : entries) {
            keys.add(Cell.of(entry.key()));
            values.add(Cell.of(text(entry.value())));
            sources.add(Cell.of(entry.source()));
            abouts.add(
                    Cell.of(entry.inForce() ? entry.about() : entry.about() + " (no effect yet)"));
        }
        Table table = new Table();
        table.add("KEY", Kind.LEFT, keys);
        table.add("VALUE", Kind.SHRINKS, values);
        table.add("SOURCE", Kind.LEFT, sources);
        table.add("ABOUT", Kind.SHRINKS, abouts);
        return table.render(around.width(), around.colours());
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        return Clean.line(value instanceof String text ? text : JsonText.of(value));
    }
}
