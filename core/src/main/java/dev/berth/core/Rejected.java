package dev.berth.core;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Why a request is rejected; the API, the CLI and the console show this one value. The sentence is
 * in the catalogue of messages, by code.
 *
 * @param code stable dotted name that programs match
 * @param field the request field at fault; empty if it is not a single one
 * @param params the values of the sentence
 */
public record Rejected(Kind kind, String code, String field, Map<String, String> params) {

    /** The parameter that chooses among several sentences of one code. */
    private static final String VARIANT = "variant";

    /** Decides the HTTP status. */
    public enum Kind {
        /** The request cannot be parsed. */
        MALFORMED,
        /** Well formed, but this installation can never serve it. */
        IMPOSSIBLE,
        /** A value is out of its range or of the wrong type. */
        INVALID,
        /** The resource is not in a state that allows the request. */
        CONFLICT,
        /** The resource does not exist. */
        NOT_FOUND,
        /** The caller lacks the permission. */
        FORBIDDEN,
        /** The caller exceeded a rate or a quota. */
        TOO_MANY,
        /** The server has no room for what the request would add. */
        NO_SPACE,
        /** A resource of the server fails for now, such as a disk that cannot be written. */
        UNAVAILABLE
    }

    public Rejected {
        Objects.requireNonNull(kind);
        // Sorted, so that the JSON does not differ between two runs.
        params = Collections.unmodifiableMap(new TreeMap<>(params));
    }

    public static Rejected malformed(String code) {
        return new Rejected(Kind.MALFORMED, code, "", Map.of());
    }

    public static Rejected invalid(String code, String field) {
        return new Rejected(Kind.INVALID, code, field, Map.of());
    }

    public static Rejected impossible(String code, String field) {
        return new Rejected(Kind.IMPOSSIBLE, code, field, Map.of());
    }

    public static Rejected noSpace(String code) {
        return new Rejected(Kind.NO_SPACE, code, "", Map.of());
    }

    public static Rejected conflict(String code) {
        return new Rejected(Kind.CONFLICT, code, "", Map.of());
    }

    public static Rejected notFound(String code) {
        return new Rejected(Kind.NOT_FOUND, code, "", Map.of());
    }

    public static Rejected forbidden(String code) {
        return new Rejected(Kind.FORBIDDEN, code, "", Map.of());
    }

    public static Rejected tooMany(String code) {
        return new Rejected(Kind.TOO_MANY, code, "", Map.of());
    }

    public static Rejected unavailable(String code) {
        return new Rejected(Kind.UNAVAILABLE, code, "", Map.of());
    }

    public Rejected variant(String name) {
        return with(VARIANT, name);
    }

    public Rejected with(String name, Object value) {
        var more = new TreeMap<>(params);
        more.put(name, String.valueOf(value));
        return new Rejected(kind, code, field, more);
    }
}
