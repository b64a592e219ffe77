package dev.berth.cli.link;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON into maps, lists, strings, booleans, {@link Numeral numbers} and null. Our own,
 * because a library's set-up would cost each call of {@code berth} several times what reading
 * costs.
 */
public final class Json {

    /** Deeper than anything the server sends, and far from the end of the stack. */
    static final int DEEPEST = 64;

    /** A number as it was written, so that printing it again changes nothing. */
    public record Numeral(String text) {}

    /** The text is not JSON. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String what, int at) {
            super(what + " at character " + at);
        }
    }

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    public static @Nullable Object read(String text) throws Malformed {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) {
            throw json.malformed("something after the end");
        }
        return value;
    }

    private @Nullable Object value() throws Malformed {
        skipSpace();
        char first = peek();
        return switch (first) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object() throws Malformed {
        enter();
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        if (!isClosedBy('}')) {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                take(':');
                object.put(name, value());
            } while (isFollowedOrClosedBy('}'));
        }
        depth--;
        return object;
    }

    private List<@Nullable Object> array() throws Malformed {
        enter();
        List<@Nullable Object> array = new ArrayList<>();
        if (!isClosedBy(']')) {
            do {
                array.add(value());
            } while (isFollowedOrClosedBy(']'));
        }
        depth--;
        return array;
    }

    private void enter() throws Malformed {
        at++;
        if (++depth > DEEPEST) {
            throw malformed("too deep");
        }
    }

    private boolean isClosedBy(char close) throws Malformed {
        skipSpace();
        boolean closed = peek() == close;
        at += closed ? 1 : 0;
        return closed;
    }

    private boolean isFollowedOrClosedBy(char close) throws Malformed {
        if (isClosedBy(close)) {
            return false;
        }
        take(',');
        return true;
    }

    private String string() throws Malformed {
        take('"');
        int start = at;
        while (true) {
            char character = peek();
            if (character == '"') {
                return text.substring(start, at++);
            }
            if (character == '\\') {
                return escapedString(start);
            }
            if (character < ' ') {
                throw malformed("a control character");
            }
            at++;
        }
    }

    private String escapedString(int start) throws Malformed {
        StringBuilder string = new StringBuilder(at - start + 32).append(text, start, at);
        while (true) {
            char character = peek();
            at++;
            if (character == '"') {
                return string.toString();
            }
            if (character < ' ') {
                throw malformed("a control character");
            }
            string.append(character == '\\' ? escaped() : character);
        }
    }

    private char escaped() throws Malformed {
        char kind = peek();
        at++;
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> throw malformed("an unknown escape");
        };
    }

    private char hex() throws Malformed {
        int value = 0;
        for (int digit = 0; digit < 4; digit++) {
            int number = Character.digit(peek(), 16);
            if (number < 0) {
                throw malformed("a broken escape");
            }
            value = value * 16 + number;
            at++;
        }
        return (char) value;
    }

    private Numeral number() throws Malformed {
        int start = at;
        skip("-");
        int whole = at;
        digits();
        if (text.charAt(whole) == '0' && at > whole + 1) {
            throw malformed("a number that begins with 0");
        }
        if (skip(".")) {
            digits();
        }
        if (skip("eE")) {
            skip("+-");
            digits();
        }
        return new Numeral(text.substring(start, at));
    }

    private void digits() throws Malformed {
        if (!skip("0123456789")) {
            throw malformed(at < text.length() ? "no value" : "the end too early");
        }
        while (skip("0123456789")) {
            // All of them.
        }
    }

    private boolean skip(String oneOf) {
        boolean there = at < text.length() && oneOf.indexOf(text.charAt(at)) >= 0;
        at += there ? 1 : 0;
        return there;
    }

    private @Nullable Object word(String word, @Nullable Object meaning) throws Malformed {
        if (!text.startsWith(word, at)) {
            throw malformed("no value");
        }
        at += word.length();
        return meaning;
    }

    private void skipSpace() {
        while (skip(" \t\r\n")) {
            // All of it.
        }
    }

    private char peek() throws Malformed {
        if (at >= text.length()) {
            throw malformed("the end too early");
        }
        return text.charAt(at);
    }

    private void take(char expected) throws Malformed {
        if (peek() != expected) {
            throw malformed("no '" + expected + "'");
        }
        at++;
    }

    private Malformed malformed(String what) {
        return new Malformed(what, at);
    }
}
