package dev.berth.store;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Words by name as a JSON object of strings: readable in any SQL shell, and safe for every
 * character, NUL and halves of surrogate pairs included, since what is not plain text is escaped.
 */
final class JsonText {

    private final String text;
    private int at;

    private JsonText(String text) {
        this.text = text;
    }

    static String of(Map<String, String> words) {
        if (words.isEmpty()) {
            return "{}";
        }
        var out = new StringBuilder("{");
        words.forEach(
                (name, value) -> {
                    out.append(out.length() > 1 ? "," : "");
                    quote(name, out);
                    out.append(':');
                    quote(value, out);
                });
        return out.append('}').toString();
    }

    private static void quote(String value, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c < ' ' || c == 0x7f || isLoneSurrogate(value, i)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Half a character has no form in UTF-8: a database would keep a question mark instead. */
    private static boolean isLoneSurrogate(String value, int i) {
        char c = value.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1));
        }
        return Character.isLowSurrogate(c)
                && (i == 0 || !Character.isHighSurrogate(value.charAt(i - 1)));
    }

    static SortedMap<String, String> read(String text) {
        var words = new TreeMap<String, String>();
        if (!text.equals("{}")) {
            new JsonText(text).object(words);
        }
        return words;
    }

    private void object(SortedMap<String, String> words) {
        expect('{');
        char next;
        do {
            var name = string();
            expect(':');
            words.put(name, string());
            next = take();
        } while (next == ',');
        if (next != '}' || at != text.length()) {
            throw broken();
        }
    }

    private String string() {
        expect('"');
        var value = new StringBuilder();
        for (char c = take(); c != '"'; c = take()) {
            value.append(c == '\\' ? escaped() : c);
        }
        return value.toString();
    }

    private char escaped() {
        char c = take();
        return switch (c) {
            case 'n' -> '\n';
            case 'u' -> {
                var digits = "" + take() + take() + take() + take();
                yield (char) Integer.parseInt(digits, 16);
            }
            case '"', '\\' -> c;
            default -> throw broken();
        };
    }

    private char take() {
        if (at == text.length()) {
            throw broken();
        }
        return text.charAt(at++);
    }

    private void expect(char wanted) {
        if (take() != wanted) {
            throw broken();
        }
    }

    /** The text itself stays out of the message: an environment holds secrets. */
    private IllegalStateException broken() {
        return new IllegalStateException(
                "not an object of strings, at character " + at + " of " + text.length());
    }
}
