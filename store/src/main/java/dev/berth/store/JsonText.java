package dev.berth.store;

import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonParser.MalformedJson;
import dev.berth.jsontext.JsonWriter;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A map of strings as a JSON object: readable in any SQL shell. */
final class JsonText {

    private static final String EMPTY = "{}";

    private JsonText() {}

    static String of(Map<String, String> values) {
        return values.isEmpty() ? EMPTY : JsonWriter.write(values);
    }

    static SortedMap<String, String> read(String text) {
        var values = new TreeMap<String, String>();
        if (text.equals(EMPTY)) {
            return values;
        }
        try {
            if (!(JsonParser.parse(text) instanceof Map<?, ?> object)) {
                throw malformed(text, 0);
            }
            for (var entry : object.entrySet()) {
                if (!(entry.getKey() instanceof String name
                        && entry.getValue() instanceof String value)) {
                    throw malformed(text, text.length());
                }
                values.put(name, value);
            }
            return values;
        } catch (MalformedJson e) {
            throw malformed(text, e.at());
        }
    }

    /** The message does not contain the text, because an environment may hold secrets. */
    private static IllegalStateException malformed(String text, int at) {
        return new IllegalStateException(
                "not an object of strings, at character " + at + " of " + text.length());
    }
}
