package dev.berth.core;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A request that cannot be granted, said once for the API, the CLI and the console.
 *
 * @param code stable dotted word that programs match and the console translates
 * @param field the field of the request at fault, or empty when it is no single one
 * @param detail the whole story in English: what is wrong and what to do
 * @param params the values in {@code detail}, for the translation
 */
public record Rejected(
        Kind kind, String code, String field, String detail, Map<String, String> params) {

    /** Why it cannot be granted, which decides the HTTP status. */
    public enum Kind {
        /** Not readable at all. */
        MALFORMED,
        /** Well formed, but this installation can never serve it. */
        IMPOSSIBLE,
        /** A value is out of its range or of the wrong type. */
        INVALID,
        /** The thing is not in a state that allows it. */
        CONFLICT,
        /** There is no such thing. */
        UNKNOWN,
        /** The caller may not. */
        FORBIDDEN,
        /** The caller has had their share for now. */
        TOO_MANY
    }

    public Rejected {
        Objects.requireNonNull(kind);
        // Sorted, because the wire form must not differ between two runs.
        params = java.util.Collections.unmodifiableMap(new TreeMap<>(params));
    }

    public static Rejected invalid(String code, String field, String detail) {
        return new Rejected(Kind.INVALID, code, field, detail, Map.of());
    }

    public static Rejected impossible(String code, String field, String detail) {
        return new Rejected(Kind.IMPOSSIBLE, code, field, detail, Map.of());
    }

    public static Rejected conflict(String code, String detail) {
        return new Rejected(Kind.CONFLICT, code, "", detail, Map.of());
    }

    public static Rejected unknown(String code, String detail) {
        return new Rejected(Kind.UNKNOWN, code, "", detail, Map.of());
    }

    public static Rejected forbidden(String code, String detail) {
        return new Rejected(Kind.FORBIDDEN, code, "", detail, Map.of());
    }

    public static Rejected tooMany(String code, String detail) {
        return new Rejected(Kind.TOO_MANY, code, "", detail, Map.of());
    }

    public Rejected with(String name, Object value) {
        var more = new TreeMap<>(params);
        more.put(name, String.valueOf(value));
        return new Rejected(kind, code, field, detail, more);
    }
}
