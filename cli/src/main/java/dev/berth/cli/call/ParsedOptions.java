package dev.berth.cli.call;

import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.SpellingSuggestion;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The parsed arguments of a command: {@code --name value}, {@code --name=value}, {@code -n5}, and
 * positional arguments.
 */
public final class ParsedOptions {

    private final Map<String, List<String>> values = new HashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> argumentsAfterDashes = new ArrayList<>();
    private boolean hasDashes;

    private ParsedOptions() {}

    /**
     * @throws UsageError an option is unknown, or its value is missing
     */
    public static ParsedOptions parse(CommandSyntax syntax, List<String> arguments) {
        ParsedOptions parsed = new ParsedOptions();
        for (int at = 0; at < arguments.size(); at++) {
            String word = arguments.get(at);
            if (word.equals("--")) {
                parsed.hasDashes = true;
                parsed.argumentsAfterDashes.addAll(arguments.subList(at + 1, arguments.size()));
                break;
            }
            if (word.length() < 2 || word.charAt(0) != '-') {
                parsed.arguments.add(word);
                continue;
            }
            int valueStart = valueStart(word);
            String name = word.substring(0, valueStart);
            CommandOption option = syntax.find(name);
            if (option == null) {
                throw unknown(name, syntax);
            }
            if (!option.takesValue()) {
                if (valueStart < word.length()) {
                    throw new UsageError("option " + option.name() + " takes no value");
                }
                parsed.add(option, "");
            } else if (valueStart < word.length()) {
                boolean equals = word.charAt(valueStart) == '=';
                parsed.add(option, word.substring(equals ? valueStart + 1 : valueStart));
            } else if (at + 1 < arguments.size()) {
                parsed.add(option, arguments.get(++at));
            } else {
                throw new UsageError(
                        "option " + option.name() + " needs a value: " + option.valueName());
            }
        }
        return parsed;
    }

    private static UsageError unknown(String name, CommandSyntax syntax) {
        List<String> known = new ArrayList<>();
        for (CommandOption option : syntax.options()) {
            known.add(option.name());
        }
        List<String> longer = known.stream().filter(one -> one.startsWith(name)).toList();
        String nearest =
                longer.size() == 1 ? longer.getFirst() : SpellingSuggestion.closest(name, known);
        return new UsageError(
                "unknown option "
                        + SafeText.line(name)
                        + (nearest == null ? "" : ": did you mean " + nearest + "?"));
    }

    /**
     * The index at which the value begins inside the argument, or its length if there is no value.
     */
    private static int valueStart(String word) {
        if (word.charAt(1) != '-') {
            return 2;
        }
        int equals = word.indexOf('=');
        return equals < 0 ? word.length() : equals;
    }

    private void add(CommandOption option, String value) {
        values.computeIfAbsent(option.name(), _ -> new ArrayList<>()).add(value);
    }

    public boolean has(CommandOption option) {
        return values.containsKey(option.name());
    }

    /** Returns the last value if the option is repeated. */
    public @Nullable String value(CommandOption option) {
        List<String> given = values(option);
        return given.isEmpty() ? null : given.getLast();
    }

    public List<String> values(CommandOption option) {
        return values.getOrDefault(option.name(), List.of());
    }

    /** All positional arguments, before and after {@code --}. */
    public List<String> arguments() {
        if (argumentsAfterDashes.isEmpty()) {
            return arguments;
        }
        List<String> all = new ArrayList<>(arguments);
        all.addAll(argumentsAfterDashes);
        return all;
    }

    /**
     * @throws UsageError there are positional arguments
     */
    public void expectNoArguments() {
        if (!arguments().isEmpty()) {
            throw new UsageError("unexpected '" + SafeText.line(arguments().getFirst()) + "'");
        }
    }

    public List<String> argumentsBeforeDashes() {
        return arguments;
    }

    public List<String> argumentsAfterDashes() {
        return argumentsAfterDashes;
    }

    /** True if the arguments contain {@code --}. */
    public boolean hasDashes() {
        return hasDashes;
    }
}
