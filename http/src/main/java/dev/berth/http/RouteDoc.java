package dev.berth.http;

import dev.berth.wire.Problem;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The documentation of a route, from which the OpenAPI description is generated.
 *
 * @param query every query parameter of the route
 * @param headers request headers that the route reads
 * @param body the request's body
 * @param responses the responses by status
 */
public record RouteDoc(
        String summary,
        List<Param<?>> query,
        List<Param<?>> headers,
        Optional<BodyType> body,
        SortedMap<Integer, BodyType> responses) {

    /** The type of a body. */
    public sealed interface BodyType {
        record One(Class<? extends Record> type) implements BodyType {}

        record Many(Class<? extends Record> type) implements BodyType {}

        /** Server-sent events. */
        record Events() implements BodyType {}

        /** Plain text. */
        record Text() implements BodyType {}

        /** A JSON object without a schema. */
        record Anything() implements BodyType {}
    }

    public RouteDoc {
        query = List.copyOf(query);
        headers = List.copyOf(headers);
        responses = Collections.unmodifiableSortedMap(new TreeMap<>(responses));
    }

    public static RouteDoc of(String summary) {
        return new RouteDoc(summary, List.of(), List.of(), Optional.empty(), new TreeMap<>());
    }

    public RouteDoc withQuery(Param<?>... params) {
        return new RouteDoc(summary, List.of(params), headers, body, responses);
    }

    public RouteDoc withHeaders(Param<?>... params) {
        return new RouteDoc(summary, query, List.of(params), body, responses);
    }

    public RouteDoc withBody(Class<? extends Record> type) {
        return new RouteDoc(
                summary, query, headers, Optional.of(new BodyType.One(type)), responses);
    }

    public RouteDoc withListBody(Class<? extends Record> type) {
        return new RouteDoc(
                summary, query, headers, Optional.of(new BodyType.Many(type)), responses);
    }

    public RouteDoc withResponse(int status, Class<? extends Record> type) {
        return withResponse(status, new BodyType.One(type));
    }

    public RouteDoc withListResponse(int status, Class<? extends Record> type) {
        return withResponse(status, new BodyType.Many(type));
    }

    public RouteDoc withResponse(int status, BodyType shape) {
        var more = new TreeMap<>(responses);
        more.put(status, shape);
        return new RouteDoc(summary, query, headers, body, more);
    }

    public RouteDoc withErrors(int... statuses) {
        var more = this;
        for (int status : statuses) {
            more = more.withResponse(status, Problem.class);
        }
        return more;
    }

    List<String> queryNames() {
        return query.stream().map(Param::name).toList();
    }
}
