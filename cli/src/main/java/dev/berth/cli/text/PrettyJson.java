package dev.berth.cli.text;

import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * JSON for people: a list or an object that fits is on one line, otherwise each element has a line
 * of its own. It is still JSON of the same value, and safe to print.
 */
public final class PrettyJson {

    private static final int WIDTH = 80;
    private static final int INDENT = 2;

    private final StringBuilder text = new StringBuilder();

    private PrettyJson() {}

    /** The lines of a value, as {@code JsonParser} reads it, without the final line end. */
    public static String write(@Nullable Object value) {
        PrettyJson json = new PrettyJson();
        json.append(value, 0, 0);
        return json.text.toString();
    }

    /**
     * @param used the width of the line before the value
     */
    private void append(@Nullable Object value, int depth, int used) {
        StringBuilder line = new StringBuilder();
        if (appendInline(value, line, WIDTH - used) || !isDivisible(value)) {
            text.append(line);
        } else if (value instanceof Map<?, ?> object) {
            text.append('{');
            String between = "\n";
            for (Map.Entry<?, ?> field : object.entrySet()) {
                String name = name(field.getKey());
                text.append(between).repeat(' ', INDENT * (depth + 1)).append(name);
                append(field.getValue(), depth + 1, INDENT * (depth + 1) + name.length());
                between = ",\n";
            }
            text.append('\n').repeat(' ', INDENT * depth).append('}');
        } else if (value instanceof List<?> list) {
            text.append('[');
            String between = "\n";
            for (Object element : list) {
                text.append(between).repeat(' ', INDENT * (depth + 1));
                append(element, depth + 1, INDENT * (depth + 1));
                between = ",\n";
            }
            text.append('\n').repeat(' ', INDENT * depth).append(']');
        }
    }

    /** Returns false if the value is longer than the limit. */
    private static boolean appendInline(@Nullable Object value, StringBuilder to, int limit) {
        if (value instanceof Map<?, ?> object) {
            to.append('{');
            String between = "";
            for (Map.Entry<?, ?> field : object.entrySet()) {
                to.append(between).append(name(field.getKey()));
                if (!appendInline(field.getValue(), to, limit)) {
                    return false;
                }
                between = ", ";
            }
            to.append('}');
        } else if (value instanceof List<?> list) {
            to.append('[');
            String between = "";
            for (Object element : list) {
                to.append(between);
                if (!appendInline(element, to, limit)) {
                    return false;
                }
                between = ", ";
            }
            to.append(']');
        } else {
            to.append(scalar(value));
        }
        return to.length() <= limit;
    }

    /** True if it can be written on several lines. */
    private static boolean isDivisible(@Nullable Object value) {
        return (value instanceof Map<?, ?> object && !object.isEmpty())
                || (value instanceof Collection<?> list && !list.isEmpty());
    }

    private static String name(@Nullable Object name) {
        return scalar(String.valueOf(name)) + ": ";
    }

    private static String scalar(@Nullable Object value) {
        return SafeText.json(JsonWriter.write(value));
    }
}
