package dev.berth.cli.call;

import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a command was given: {@code --name value}, {@code --name=value}, {@code -n5}, the rest. */
public final class Options {

    private final Map<String, List<String>> values = new HashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> afterMark = new ArrayList<>();
    private boolean marked;

    private Options() {}

    /**
     * @throws UsageError a word is no option of this command, or lacks its value
     */
    public static Options parse(Syntax syntax, List<String> words) {
        Options given = new Options();
        for (int at = 0; at < words.size(); at++) {
            String word = words.get(at);
            if (word.equals("--")) {
                given.marked = true;
                given.afterMark.addAll(words.subList(at + 1, words.size()));
                break;
            }
            if (word.length() < 2 || word.charAt(0) != '-') {
                given.arguments.add(word);
                continue;
            }
            int valueStart = valueStart(word);
            String name = word.substring(0, valueStart);
            Option option = syntax.named(name);
            if (option == null) {
                throw unknown(name, syntax);
            }
            if (!option.takesValue()) {
                if (valueStart < word.length()) {
                    throw new UsageError("option " + option.name() + " takes no value");
                }
                given.add(option, "");
            } else if (valueStart < word.length()) {
                boolean equals = word.charAt(valueStart) == '=';
                given.add(option, word.substring(equals ? valueStart + 1 : valueStart));
            } else if (at + 1 < words.size()) {
                given.add(option, words.get(++at));
            } else {
                throw new UsageError(
                        "option " + option.name() + " needs a value: " + option.value());
            }
        }
        return given;
    }

    private static UsageError unknown(String name, Syntax syntax) {
        List<String> known = new ArrayList<>();
        for (Option option : syntax.options()) {
            known.add(option.name());
        }
        String nearest = Nearest.to(name, known);
        return new UsageError(
                "unknown option "
                        + Clean.line(name)
                        + (nearest == null ? "" : ": did you mean " + nearest + "?"));
    }

    /** Where the value begins inside the word, or its end if it is not there. */
    private static int valueStart(String word) {
        if (word.charAt(1) != '-') {
            return 2;
        }
        int equals = word.indexOf('=');
        return equals < 0 ? word.length() : equals;
    }

    private void add(Option option, String value) {
        values.computeIfAbsent(option.name(), _ -> new ArrayList<>()).add(value);
    }

    public boolean has(Option option) {
        return values.containsKey(option.name());
    }

    /** The last one given counts. */
    public @Nullable String value(Option option) {
        List<String> given = values(option);
        return given.isEmpty() ? null : given.getLast();
    }

    public List<String> values(Option option) {
        return values.getOrDefault(option.name(), List.of());
    }

    /** Words that are no options; {@code --} only ended the options. */
    public List<String> arguments() {
        if (afterMark.isEmpty()) {
            return arguments;
        }
        List<String> all = new ArrayList<>(arguments);
        all.addAll(afterMark);
        return all;
    }

    /**
     * @throws UsageError there are some
     */
    public void expectNoArguments() {
        if (!arguments().isEmpty()) {
            throw new UsageError("unexpected '" + Clean.line(arguments().getFirst()) + "'");
        }
    }

    public List<String> beforeMark() {
        return arguments;
    }

    public List<String> afterMark() {
        return afterMark;
    }

    /** Whether {@code --} was among the words. */
    public boolean marked() {
        return marked;
    }
}
