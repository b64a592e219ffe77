package dev.berth.http;

import dev.berth.core.Rejected;
import dev.berth.wire.Problem;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A response.
 *
 * @param authenticatedCaller the caller, if this request authenticated one (a login)
 */
public record RouteResponse(
        int status,
        SortedMap<String, String> headers,
        ResponseBody content,
        Optional<Caller> authenticatedCaller) {

    /** The engine's limits free up slowly. */
    private static final int RETRY_SECONDS = 60;

    public RouteResponse {
        headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
    }

    public RouteResponse(int status, SortedMap<String, String> headers, ResponseBody content) {
        this(status, headers, content, Optional.empty());
    }

    public static RouteResponse ok(Object body) {
        return of(200, body);
    }

    public static RouteResponse of(int status, Object body) {
        return new RouteResponse(status, new TreeMap<>(), new ResponseBody.Json(body));
    }

    public static RouteResponse empty(int status) {
        return new RouteResponse(status, new TreeMap<>(), new ResponseBody.Empty());
    }

    public static RouteResponse bytes(String type, byte[] bytes) {
        return new RouteResponse(200, new TreeMap<>(), new ResponseBody.Bytes(type, bytes));
    }

    public static RouteResponse rows(List<?> first, ResponseBody.RowReader rest) {
        return new RouteResponse(200, new TreeMap<>(), new ResponseBody.Rows(first, rest));
    }

    public static RouteResponse download(String type, ResponseBody.StreamWriter writer) {
        return new RouteResponse(200, new TreeMap<>(), new ResponseBody.Download(type, writer));
    }

    public static RouteResponse stream(ResponseBody.StreamWriter show) {
        return new RouteResponse(200, new TreeMap<>(), new ResponseBody.Stream(show));
    }

    public static RouteResponse problem(int status, String code) {
        return problem(status, code, Map.of());
    }

    public static RouteResponse problem(int status, String code, Map<String, String> params) {
        var sorted = new TreeMap<>(params);
        return of(status, new Problem(Sentences.problem(code, null, sorted), code, null, sorted));
    }

    /** The caller exceeded a limit and may try again later. */
    public static RouteResponse tooManyRequests(
            String code, Map<String, String> params, int retrySeconds) {
        return problem(429, code, params).with("Retry-After", Integer.toString(retrySeconds));
    }

    public static RouteResponse rejection(Rejected why) {
        var field = why.field().isEmpty() ? null : why.field();
        var detail = Sentences.problem(why.code(), field, why.params());
        var answer = of(status(why.kind()), new Problem(detail, why.code(), field, why.params()));
        return why.kind() == Rejected.Kind.TOO_MANY || why.kind() == Rejected.Kind.NO_SPACE
                ? answer.with("Retry-After", Integer.toString(RETRY_SECONDS))
                : answer;
    }

    public RouteResponse with(String header, String value) {
        var more = new TreeMap<>(headers);
        more.put(header, value);
        return new RouteResponse(status, more, content, authenticatedCaller);
    }

    public RouteResponse authenticatedCaller(Caller caller) {
        return new RouteResponse(status, headers, content, Optional.of(caller));
    }

    private static int status(Rejected.Kind kind) {
        return switch (kind) {
            case MALFORMED, IMPOSSIBLE -> 400;
            case FORBIDDEN -> 403;
            case NOT_FOUND -> 404;
            case CONFLICT -> 409;
            case INVALID -> 422;
            case TOO_MANY -> 429;
            case NO_SPACE -> 507;
            case UNAVAILABLE -> 503;
        };
    }
}
