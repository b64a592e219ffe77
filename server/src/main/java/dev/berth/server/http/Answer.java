package dev.berth.server.http;

import dev.berth.core.Rejected;
import dev.berth.wire.Problem;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What goes back.
 *
 * @param to who came to be known by this very call
 */
public record Answer(
        int status, SortedMap<String, String> headers, Content content, Optional<Caller> to) {

    /** What the engine has too many of goes down slowly. */
    private static final int RETRY_SECONDS = 60;

    public Answer {
        headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
    }

    public Answer(int status, SortedMap<String, String> headers, Content content) {
        this(status, headers, content, Optional.empty());
    }

    public static Answer ok(Object body) {
        return of(200, body);
    }

    public static Answer of(int status, Object body) {
        return new Answer(status, new TreeMap<>(), new Content.Json(body));
    }

    public static Answer empty(int status) {
        return new Answer(status, new TreeMap<>(), new Content.Nothing());
    }

    public static Answer bytes(String type, byte[] bytes) {
        return new Answer(200, new TreeMap<>(), new Content.Bytes(type, bytes));
    }

    public static Answer stream(Content.Show show) {
        return new Answer(200, new TreeMap<>(), new Content.Stream(show));
    }

    public static Answer problem(int status, String code, String detail) {
        return of(status, new Problem(detail, code, null, Map.of()));
    }

    /** Not now: the caller has had their share. */
    public static Answer tooMany(String code, String detail, int retrySeconds) {
        return problem(429, code, detail).with("Retry-After", Integer.toString(retrySeconds));
    }

    public static Answer refusing(Rejected why) {
        var field = why.field().isEmpty() ? null : why.field();
        var answer =
                of(status(why.kind()), new Problem(why.detail(), why.code(), field, why.params()));
        return why.kind() == Rejected.Kind.TOO_MANY
                ? answer.with("Retry-After", Integer.toString(RETRY_SECONDS))
                : answer;
    }

    public Answer with(String header, String value) {
        var more = new TreeMap<>(headers);
        more.put(header, value);
        return new Answer(status, more, content, to);
    }

    public Answer to(Caller caller) {
        return new Answer(status, headers, content, Optional.of(caller));
    }

    private static int status(Rejected.Kind kind) {
        return switch (kind) {
            case MALFORMED, IMPOSSIBLE -> 400;
            case FORBIDDEN -> 403;
            case UNKNOWN -> 404;
            case CONFLICT -> 409;
            case INVALID -> 422;
            case TOO_MANY -> 429;
        };
    }
}
