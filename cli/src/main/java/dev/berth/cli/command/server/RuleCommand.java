package dev.berth.cli.command.server;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.SpellingSuggestion;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.RuleEntry;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Prints or changes the scheduling rules, which can change while the server runs. */
public final class RuleCommand implements CliCommand {

    private static final String PATH = "/api/rule";

    private static final CommandOption MEMORY =
            CommandOption.flag("--memory", "until the server stops; no file is changed");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "rule",
                "[KEY [VALUE]]",
                "Show the scheduling rules, or change one; `none` resets it",
                List.of(MEMORY, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        if (arguments.size() > 2 || (options.has(MEMORY) && arguments.size() < 2)) {
            throw new UsageError("rule takes no argument, KEY, or KEY and VALUE");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get(PATH);
            List<RuleEntry> rules = WireReader.rules(connection.json(reply)).entries();
            if (arguments.size() == 2) {
                RuleEntry rule = find(arguments.getFirst(), rules);
                reply = connection.send(change(rule, arguments.getLast(), options.has(MEMORY)));
                rules = WireReader.rules(connection.json(reply)).entries();
            }
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else if (arguments.isEmpty()) {
                context.out().print(table(rules, context));
            } else {
                context.out().println(line(find(arguments.getFirst(), rules)));
            }
            return 0;
        }
    }

    /** Finds a rule by its full name or by its last part. */
    private static RuleEntry find(String name, List<RuleEntry> rules) {
        List<String> names = new ArrayList<>();
        for (RuleEntry rule : rules) {
            if (rule.key().equals(name) || rule.key().endsWith("." + name)) {
                return rule;
            }
            names.add(rule.key());
        }
        String nearest = SpellingSuggestion.closest(name, names);
        throw new CommandFailure(
                "there is no rule '"
                        + SafeText.line(name)
                        + "'"
                        + (nearest == null
                                ? ""
                                : ": did you mean '" + SafeText.line(nearest) + "'?")
                        + " (`berth rule` lists all)");
    }

    private static ApiRequest change(RuleEntry rule, String text, boolean isInMemory) {
        Object value = text.equals("none") || text.equals("null") ? null : value(rule, text);
        String body = JsonWriter.write(Collections.singletonMap(rule.key(), value));
        return ApiRequest.put(PATH + (isInMemory ? "?persist=false" : ""), body);
    }

    /**
     * A value of the wrong type is sent as a string; the server then replies with the expected
     * type.
     */
    private static Object value(RuleEntry rule, String text) {
        return switch (rule.kind()) {
            case "whole" -> number(text);
            case "flag" -> text.equals("true") || text.equals("false") ? text.equals("true") : text;
            case "cards" -> gpus(text);
            default -> text;
        };
    }

    private static Object number(String text) {
        return text.matches("-?(0|[1-9][0-9]*)") ? new JsonParser.JsonNumber(text) : text;
    }

    /** Accepts 0,1,2 and [0,1,2]. */
    private static Object gpus(String text) {
        String list = text.replaceAll("^\\[|]$", "").strip();
        List<Object> gpus = new ArrayList<>();
        for (String gpu : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            gpus.add(number(gpu.strip()));
        }
        return gpus;
    }

    private static String line(RuleEntry rule) {
        return SafeText.line(rule.key() + " " + text(rule.value()) + " (" + source(rule) + ")");
    }

    /** The API has its own word for the default. */
    private static String source(RuleEntry rule) {
        return rule.source().equals("usual") ? "default" : rule.source();
    }

    private static String table(List<RuleEntry> rules, CallContext context) {
        List<Cell> keys = new ArrayList<>();
        List<Cell> values = new ArrayList<>();
        List<Cell> sources = new ArrayList<>();
        for (RuleEntry rule : rules) {
            keys.add(Cell.of(rule.key()));
            values.add(Cell.of(text(rule.value())));
            sources.add(Cell.of(source(rule)));
        }
        TextTable table = new TextTable();
        table.add("KEY", ColumnKind.LEFT, keys);
        table.add("VALUE", ColumnKind.SHRINKABLE, values);
        table.add("SOURCE", ColumnKind.LEFT, sources);
        return table.render(context.width(), context.usesColours());
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        return value instanceof String text ? text : JsonWriter.write(value);
    }
}
