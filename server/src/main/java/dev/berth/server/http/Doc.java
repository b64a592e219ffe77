package dev.berth.server.http;

import dev.berth.wire.Problem;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What people are told of a route; the description of the API is made from it.
 *
 * @param query everything the route takes after the question mark
 * @param headers request headers it takes notice of
 * @param body what the request carries
 * @param replies what may come back, by status
 */
public record Doc(
        String summary,
        List<Param<?>> query,
        List<Param<?>> headers,
        Optional<Shape> body,
        SortedMap<Integer, Shape> replies) {

    /** The type of a body. */
    public sealed interface Shape {
        record One(Class<? extends Record> type) implements Shape {}

        record Many(Class<? extends Record> type) implements Shape {}

        /** Server-sent events, for as long as both sides want. */
        record Events() implements Shape {}

        /** Plain text. */
        record Text() implements Shape {}

        /** Described elsewhere. */
        record Anything() implements Shape {}
    }

    public Doc {
        query = List.copyOf(query);
        headers = List.copyOf(headers);
        replies = Collections.unmodifiableSortedMap(new TreeMap<>(replies));
    }

    public static Doc of(String summary) {
        return new Doc(summary, List.of(), List.of(), Optional.empty(), new TreeMap<>());
    }

    public Doc asking(Param<?>... params) {
        return new Doc(summary, List.of(params), headers, body, replies);
    }

    public Doc heeding(Param<?>... params) {
        return new Doc(summary, query, List.of(params), body, replies);
    }

    public Doc taking(Class<? extends Record> type) {
        return new Doc(summary, query, headers, Optional.of(new Shape.One(type)), replies);
    }

    public Doc takingMany(Class<? extends Record> type) {
        return new Doc(summary, query, headers, Optional.of(new Shape.Many(type)), replies);
    }

    public Doc giving(int status, Class<? extends Record> type) {
        return giving(status, new Shape.One(type));
    }

    public Doc givingMany(int status, Class<? extends Record> type) {
        return giving(status, new Shape.Many(type));
    }

    public Doc giving(int status, Shape shape) {
        var more = new TreeMap<>(replies);
        more.put(status, shape);
        return new Doc(summary, query, headers, body, more);
    }

    public Doc refusing(int... statuses) {
        var more = this;
        for (int status : statuses) {
            more = more.giving(status, Problem.class);
        }
        return more;
    }

    List<String> queryNames() {
        return query.stream().map(Param::name).toList();
    }
}
