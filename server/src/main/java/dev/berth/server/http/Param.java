package dev.berth.server.http;

import dev.berth.core.Rejected;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A typed part of a path or a query: what is documented is what is read.
 *
 * @param schema its JSON schema
 */
public record Param<T>(String name, String about, Map<String, Object> schema, Reading<T> reading) {

    /** How its text becomes a value. */
    @FunctionalInterface
    public interface Reading<T> {
        T read(String text) throws Refused;
    }

    /** A whole number of {@code min} to {@code max}. */
    public static Param<Long> number(String name, String about, long min, long max) {
        var schema = new TreeMap<String, Object>(Map.of("type", "integer", "minimum", min));
        if (max < Long.MAX_VALUE) {
            schema.put("maximum", max);
        }
        return new Param<>(name, about, schema, text -> within(name, text, min, max));
    }

    public static Param<String> word(String name, String about, List<String> words) {
        return new Param<>(
                name,
                about,
                Map.of("type", "string", "enum", words),
                text -> {
                    if (!words.contains(text)) {
                        var all = String.join(", ", words);
                        throw new Refused(
                                Rejected.invalid(
                                                name + ".unknown",
                                                name,
                                                name
                                                        + " is one of "
                                                        + all
                                                        + ", not "
                                                        + shown(text)
                                                        + ".")
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
                                    throw Refused.invalid(
                                            name + ".invalid",
                                            name,
                                            name + " is true or false, not " + shown(text) + ".");
                        });
    }

    /** Any text at all. */
    public static Param<String> text(String name, String about) {
        return new Param<>(name, about, Map.of("type", "string"), text -> text);
    }

    /** A request header of which any text is understood. */
    public static Param<String> header(String name, String about) {
        return new Param<>(name, about, Map.of("type", "string"), text -> text);
    }

    public T read(String text) throws Refused {
        return reading.read(text);
    }

    private static long within(String name, String text, long min, long max) throws Refused {
        if (text.matches("[0-9]{1,18}")) {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        }
        var range = max < Long.MAX_VALUE ? "from " + min + " to " + max : min + " or more";
        throw new Refused(
                Rejected.invalid(
                                name + ".invalid",
                                name,
                                name
                                        + " is a whole number, "
                                        + range
                                        + ", not "
                                        + shown(text)
                                        + ".")
                        .with("min", min));
    }

    /** What a caller sent, short enough to be said back. */
    static String shown(String text) {
        return "\"" + (text.length() > 60 ? text.substring(0, 60) + "…" : text) + "\"";
    }
}
