package dev.berth.jsontext;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON into maps, lists, strings, booleans, {@link JsonNumber numbers} and null. Not a
 * library, because the start-up of a library takes several times as long as the parsing itself, in
 * every call of {@code berth}.
 */
public final class JsonParser {

    /** More than the nesting of any reply, and far below a stack overflow. */
    static final int MAX_DEPTH = 64;

    /** A number as it was written, so that printing it again does not change it. */
    public record JsonNumber(String text) {}

    /** The text is not JSON. The message contains nothing of it, because it may hold secrets. */
    public static final class MalformedJson extends Exception {
        private static final long serialVersionUID = 1;

        private final int at;

        MalformedJson(String what, int at) {
            super(what + " at character " + at);
            this.at = at;
        }

        /** The index of the character. */
        public int at() {
            return at;
        }
    }

    private final String text;
    private int at;
    private int depth;

    private JsonParser(String text) {
        this.text = text;
    }

    public static @Nullable Object parse(String text) throws MalformedJson {
        JsonParser json = new JsonParser(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) {
            throw json.malformed("text after the end");
        }
        return value;
    }

    private @Nullable Object value() throws MalformedJson {
        skipSpace();
        char first = peek();
        return switch (first) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object() throws MalformedJson {
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

    private List<@Nullable Object> array() throws MalformedJson {
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

    private void enter() throws MalformedJson {
        at++;
        if (++depth > MAX_DEPTH) {
            throw malformed("too deep");
        }
    }

    private boolean isClosedBy(char close) throws MalformedJson {
        skipSpace();
        boolean closed = peek() == close;
        at += closed ? 1 : 0;
        return closed;
    }

    private boolean isFollowedOrClosedBy(char close) throws MalformedJson {
        if (isClosedBy(close)) {
            return false;
        }
        take(',');
        return true;
    }

    private String string() throws MalformedJson {
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

    private String escapedString(int start) throws MalformedJson {
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

    private char escaped() throws MalformedJson {
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

    private char hex() throws MalformedJson {
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

    private JsonNumber number() throws MalformedJson {
        int start = at;
        skip("-");
        int integerEnd = at;
        digits();
        if (text.charAt(integerEnd) == '0' && at > integerEnd + 1) {
            throw malformed("a number that begins with 0");
        }
        if (skip(".")) {
            digits();
        }
        if (skip("eE")) {
            skip("+-");
            digits();
        }
        return new JsonNumber(text.substring(start, at));
    }

    private void digits() throws MalformedJson {
        if (!skip("0123456789")) {
            throw malformed(at < text.length() ? "no value" : "an early end");
        }
        while (skip("0123456789")) {
            // Skips all digits.
        }
    }

    private boolean skip(String oneOf) {
        boolean isPresent = at < text.length() && oneOf.indexOf(text.charAt(at)) >= 0;
        at += isPresent ? 1 : 0;
        return isPresent;
    }

    private @Nullable Object literal(String literal, @Nullable Object meaning)
            throws MalformedJson {
        if (!text.startsWith(literal, at)) {
            throw malformed("no value");
        }
        at += literal.length();
        return meaning;
    }

    private void skipSpace() {
        while (skip(" \t\r\n")) {
            // Skips all white space.
        }
    }

    private char peek() throws MalformedJson {
        if (at >= text.length()) {
            throw malformed("an early end");
        }
        return text.charAt(at);
    }

    private void take(char expected) throws MalformedJson {
        if (peek() != expected) {
            throw malformed("no '" + expected + "'");
        }
        at++;
    }

    private MalformedJson malformed(String what) {
        return new MalformedJson(what, at);
    }
}
