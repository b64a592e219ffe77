package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Json;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.RuleReader;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Nearest;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.wire.RuleEntry;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The rules of scheduling, which can be changed while the server runs. */
public final class Rule implements Command {

    private static final String PATH = "/api/rule";

    private static final Option MEMORY =
            Option.flag("--memory", "until the server ends, and no file is changed");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "rule",
                "[KEY [VALUE]]",
                "Show the rules of scheduling, or change one; `none` is the usual value",
                List.of(MEMORY, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        if (words.size() > 2 || (given.has(MEMORY) && words.size() < 2)) {
            throw new UsageError("rule takes nothing, KEY, or KEY and VALUE");
        }
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get(PATH);
            List<RuleEntry> rules = RuleReader.rules(link.json(reply));
            if (words.size() == 2) {
                RuleEntry rule = named(words.getFirst(), rules);
                reply = link.ask(change(rule, words.getLast(), given.has(MEMORY)));
                rules = RuleReader.rules(link.json(reply));
            }
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else if (words.isEmpty()) {
                around.out().print(table(rules, around));
            } else {
                around.out().println(line(named(words.getFirst(), rules)));
            }
            return 0;
        }
    }

    /** By its whole name, or by the last part of it. */
    private static RuleEntry named(String name, List<RuleEntry> rules) {
        List<String> names = new ArrayList<>();
        for (RuleEntry rule : rules) {
            if (rule.key().equals(name) || rule.key().endsWith("." + name)) {
                return rule;
            }
            names.add(rule.key());
        }
        String nearest = Nearest.to(name, names);
        throw new Refused(
                "there is no rule '"
                        + Clean.line(name)
                        + "'"
                        + (nearest == null ? "" : ": did you mean '" + Clean.line(nearest) + "'?")
                        + " (`berth rule` lists all)");
    }

    private static Request change(RuleEntry rule, String text, boolean isInMemory) {
        Object value = text.equals("none") || text.equals("null") ? null : value(rule, text);
        String body = JsonText.of(Collections.singletonMap(rule.key(), value));
        return Request.put(PATH + (isInMemory ? "?persist=false" : ""), body);
    }

    /** What is not of the rule's kind goes as text, for the server to say what it must be. */
    private static Object value(RuleEntry rule, String text) {
        return switch (rule.kind()) {
            case "whole" -> number(text);
            case "flag" -> text.equals("true") || text.equals("false") ? text.equals("true") : text;
            case "cards" -> cards(text);
            default -> text;
        };
    }

    private static Object number(String text) {
        return text.matches("-?(0|[1-9][0-9]*)") ? new Json.Numeral(text) : text;
    }

    /** Written 0,1,2, also as a file or the table has it. */
    private static Object cards(String text) {
        String bare = text.replaceAll("^\\[|]$", "").strip();
        List<Object> cards = new ArrayList<>();
        for (String card : bare.isEmpty() ? new String[0] : bare.split(",", -1)) {
            cards.add(number(card.strip()));
        }
        return cards;
    }

    private static String line(RuleEntry rule) {
        return Clean.line(rule.key() + " " + text(rule.value()) + " (" + rule.source() + ")");
    }

    private static String table(List<RuleEntry> rules, Surroundings around) {
        List<Cell> keys = new ArrayList<>();
        List<Cell> values = new ArrayList<>();
        List<Cell> sources = new ArrayList<>();
        for (RuleEntry rule : rules) {
            keys.add(Cell.of(rule.key()));
            values.add(Cell.of(text(rule.value())));
            sources.add(Cell.of(rule.source()));
        }
        Table table = new Table();
        table.add("KEY", Kind.LEFT, keys);
        table.add("VALUE", Kind.SHRINKS, values);
        table.add("SOURCE", Kind.LEFT, sources);
        return table.render(around.width(), around.colours());
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        return value instanceof String text ? text : JsonText.of(value);
    }
}
