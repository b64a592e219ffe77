package dev.berth.jsontext;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * Writes the values that {@link JsonParser} reads. A line break is the only control character with
 * a short escape: 0.1.0 reads no other one from its database.
 */
public final class JsonWriter {

    private static final char DELETE = 0x7f;

    private JsonWriter() {}

    public static String write(@Nullable Object value) {
        StringBuilder text = new StringBuilder();
        append(value, text);
        return text.toString();
    }

    private static void append(@Nullable Object value, StringBuilder to) {
        if (value instanceof Map<?, ?> object) {
            to.append('{');
            String between = "";
            for (Map.Entry<?, ?> field : object.entrySet()) {
                to.append(between);
                string(String.valueOf(field.getKey()), to);
                to.append(':');
                append(field.getValue(), to);
                between = ",";
            }
            to.append('}');
        } else if (value instanceof List<?> array) {
            to.append('[');
            String between = "";
            for (Object element : array) {
                to.append(between);
                append(element, to);
                between = ",";
            }
            to.append(']');
        } else if (value instanceof String string) {
            string(string, to);
        } else if (value instanceof JsonParser.JsonNumber number) {
            to.append(number.text());
        } else {
            // Booleans, null, and JDK numbers. NaN and infinity, which JSON cannot represent, never
            // occur here.
            to.append(value);
        }
    }

    private static void string(String text, StringBuilder to) {
        to.append('"');
        if (isPlain(text)) {
            to.append(text);
        } else {
            escape(text, to);
        }
        to.append('"');
    }

    /** True for most texts, which are copied as a whole. */
    private static boolean isPlain(String text) {
        for (int at = 0; at < text.length(); at++) {
            char character = text.charAt(at);
            if (character < ' '
                    || character == '"'
                    || character == '\\'
                    || character == DELETE
                    || Character.isSurrogate(character)) {
                return false;
            }
        }
        return true;
    }

    private static void escape(String text, StringBuilder to) {
        for (int at = 0; at < text.length(); at++) {
            char character = text.charAt(at);
            switch (character) {
                case '"' -> to.append("\\\"");
                case '\\' -> to.append("\\\\");
                case '\n' -> to.append("\\n");
                default -> {
                    if (character < ' ' || character == DELETE || isLoneSurrogate(text, at)) {
                        to.append("\\u").append(Integer.toHexString(0x10000 | character), 1, 5);
                    } else {
                        to.append(character);
                    }
                }
            }
        }
    }

    /** A lone surrogate cannot be encoded in UTF-8. An escape preserves it. */
    private static boolean isLoneSurrogate(String text, int at) {
        char character = text.charAt(at);
        if (Character.isHighSurrogate(character)) {
            return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        }
        return Character.isLowSurrogate(character)
                && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }
}
