package dev.berth.http;

import dev.berth.core.Rejected;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A typed parameter of a path, query or header. Documentation and parsing use the same definition.
 *
 * @param schema its JSON schema
 */
public record Param<T>(
        String name, String description, Map<String, Object> schema, Parser<T> parser) {

    /** Parses the text of a parameter. */
    @FunctionalInterface
    public interface Parser<T> {
        T parse(String text) throws RejectedException;
    }

    private static final String LARGEST = Long.toString(Long.MAX_VALUE);

    /** A whole number from {@code min} to {@code max}. */
    public static Param<Long> number(String name, String about, long min, long max) {
        var schema = new TreeMap<String, Object>(Map.of("type", "integer", "minimum", min));
        if (max < Long.MAX_VALUE) {
            schema.put("maximum", max);
        }
        return new Param<>(name, about, schema, text -> within(name, text, min, max));
    }

    public static Param<String> choice(String name, String about, List<String> words) {
        return new Param<>(
                name,
                about,
                Map.of("type", "string", "enum", words),
                text -> {
                    if (!words.contains(text)) {
                        var all = String.join(", ", words);
                        throw new RejectedException(
                                Rejected.invalid(name + ".unknown", name)
                                        .with("given", quoted(text))
                                        .with("known", all));
                    }
                    return text;
                });
    }

    public static Param<Boolean> flag(String name, String about) {
        return new Param<>(
                name,
                about,
                Map.of("type", "boolean"),
                text ->
                        switch (text) {
                            case "true" -> true;
                            case "false" -> false;
                            default ->
                                    throw new RejectedException(
                                            Rejected.invalid(name + ".invalid", name)
                                                    .variant("flag")
                                                    .with("given", quoted(text)));
                        });
    }

    public static Param<String> text(String name, String about) {
        return new Param<>(name, about, Map.of("type", "string"), text -> text);
    }

    public static Param<String> header(String name, String about) {
        return new Param<>(name, about, Map.of("type", "string"), text -> text);
    }

    public T read(String text) throws RejectedException {
        return parser.parse(text);
    }

    private static long within(String name, String text, long min, long max)
            throws RejectedException {
        if (text.matches("[0-9]{1,19}")) {
            // 19 digits may be too many; their order is that of the numbers.
            boolean isLong = text.length() < 19 || text.compareTo(LARGEST) <= 0;
            long value = isLong ? Long.parseLong(text) : -1;
            if (isLong && value >= min && value <= max) {
                return value;
            }
        }
        var why =
                Rejected.invalid(name + ".invalid", name)
                        .with("min", min)
                        .with("given", quoted(text));
        throw new RejectedException(
                max < Long.MAX_VALUE
                        ? why.variant("whole_number").with("max", max)
                        : why.variant("whole_number_from"));
    }

    /** A caller's text, shortened for an error message. */
    static String quoted(String text) {
        return "\"" + (text.length() > 60 ? text.substring(0, 60) + "…" : text) + "\"";
    }
}
