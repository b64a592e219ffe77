package dev.berth.cli.command.server;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.ConfigEntry;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Prints the configuration and the source of each value. */
public final class ConfigCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "config",
                "[get KEY [DEFAULT]]",
                "Show the current configuration, or one key",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        boolean isGet = !arguments.isEmpty();
        if (isGet
                && (!arguments.getFirst().equals("get")
                        || arguments.size() < 2
                        || arguments.size() > 3)) {
            throw new UsageError("config takes no argument, or: get KEY [DEFAULT]");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/config");
            List<ConfigEntry> entries = WireReader.configEntryList(connection.json(reply));
            if (isGet) {
                return get(arguments, entries, options.has(CommandOption.JSON), context);
            }
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                context.out().print(table(entries, context));
            }
            return 0;
        }
    }

    private static int get(
            List<String> arguments, List<ConfigEntry> entries, boolean json, CallContext context) {
        Object value = value(arguments.get(1), entries);
        if (value == null && arguments.size() == 3) {
            value = arguments.get(2);
        }
        if (value == null) {
            throw new CommandFailure(
                    "there is no value for '"
                            + SafeText.line(arguments.get(1))
                            + "' (`berth config` lists all keys)");
        }
        context.out().println(json ? JsonWriter.write(value) : text(value));
        return 0;
    }

    /** The value of a key whose value is a string. */
    public static Optional<String> text(String name, List<ConfigEntry> entries) {
        return Optional.ofNullable(value(name, entries))
                .filter(String.class::isInstance)
                .map(String.class::cast);
    }

    /** Finds a key by its full name or by its last part. */
    private static @Nullable Object value(String name, List<ConfigEntry> entries) {
        for (ConfigEntry entry : entries) {
            if (entry.key().equals(name) || entry.key().endsWith("." + name)) {
                return entry.value();
            }
        }
        return null;
    }

    private static String table(List<ConfigEntry> entries, CallContext context) {
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
        TextTable table = new TextTable();
        table.add("KEY", ColumnKind.LEFT, keys);
        table.add("VALUE", ColumnKind.SHRINKABLE, values);
        table.add("SOURCE", ColumnKind.LEFT, sources);
        table.add("ABOUT", ColumnKind.SHRINKABLE, abouts);
        return table.render(context.width(), context.usesColours());
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        return SafeText.line(value instanceof String text ? text : JsonWriter.write(value));
    }
}
