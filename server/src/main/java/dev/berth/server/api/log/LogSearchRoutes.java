package dev.berth.server.api.log;

import dev.berth.core.Rejected;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.http.limit.MemoryBudget;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.event.LogFollowers;
import dev.berth.wire.LogMatches;
import dev.berth.wire.LogSection;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Search in the log of any attempt, and sections of it. */
public final class LogSearchRoutes {

    private static final int MAX_TEXT = 200;
    private static final int MAX_MATCHES = 1000;
    private static final int DEFAULT_MATCHES = 100;

    /** One piece of the log and its copies. */
    private static final long SEARCH_BYTES = 4 << 20;

    private static final long SECTION_BYTES = 2 << 20;

    private static final Param<String> TEXT =
            new Param<>(
                    "q",
                    "the text; upper and lower case of A to Z are the same",
                    Map.of("type", "string", "minLength", 1, "maxLength", MAX_TEXT),
                    LogSearchRoutes::text);
    private static final Param<Long> LIMIT =
            Param.number("limit", "the maximum number; 100 if unset", 1, MAX_MATCHES);
    private static final Param<Long> FROM =
            Param.number("from", "the first lines from this byte offset on", 0, Long.MAX_VALUE);
    private static final Param<Long> BEFORE =
            Param.number("before", "the last lines before this byte offset", 0, Long.MAX_VALUE);

    private static final RouteDoc SEARCH_DOC =
            RouteDoc.of("The lines of a log that contain a text, with their numbers and offsets")
                    .withQuery(TEXT, LogRequests.ATTEMPT, LogFollowers.BANNER, FROM, BEFORE, LIMIT)
                    .withResponse(200, LogMatches.class)
                    .withErrors(404, 410, 422, 503);
    private static final RouteDoc SECTION_DOC =
            RouteDoc.of("Lines anywhere in a log; the last ones if neither from nor before is set")
                    .withQuery(LogRequests.ATTEMPT, LogFollowers.BANNER, FROM, BEFORE)
                    .withResponse(200, LogSection.class)
                    .withErrors(404, 410, 422, 503);

    private final MemoryBudget memory = MemoryBudget.ofThisProcess();
    private final LogRequests requests;
    private final LogFiles logs;

    public LogSearchRoutes(TaskLookup lookup, LogFiles logs) {
        this.requests = new LogRequests(lookup);
        this.logs = logs;
    }

    public List<Route> routes() {
        return List.of(
                route("search", SEARCH_DOC, this::search),
                route("section", SECTION_DOC, this::section));
    }

    private static Route route(String name, RouteDoc doc, Route.Action handler) {
        var path = PathPattern.of("/api/tasks/{id}/logs/" + name, TaskLookup.ID);
        return Route.get(path, AccessLevel.SERVED, doc, handler);
    }

    private RouteResponse search(RouteRequest call)
            throws RejectedException, StoreFailure, LogUnreadable {
        var text =
                call.query(TEXT)
                        .orElseThrow(
                                () ->
                                        new RejectedException(
                                                Rejected.invalid("parameter.missing", "q")));
        requireOne(call);
        var search =
                new LogSearch(
                        text,
                        call.query(FROM).orElse(0L),
                        call.query(BEFORE).map(OptionalLong::of).orElse(OptionalLong.empty()),
                        call.query(LIMIT).orElse((long) DEFAULT_MATCHES).intValue());
        var id = TaskLookup.id(call);
        var part = LogFollowers.part(call);
        var attempt = requests.attempt(call);
        if (attempt.isEmpty()) {
            return RouteResponse.ok(new LogMatches(id.value(), 0, 0, 0, 0, List.of()));
        }
        try (var _ = memory.reserve(SEARCH_BYTES)) {
            var found = logs.search(attempt.get(), part, search);
            var matches =
                    found.matches().stream()
                            .map(one -> new LogMatches.Match(one.line(), one.offset(), one.text()))
                            .toList();
            return RouteResponse.ok(
                    new LogMatches(
                            id.value(),
                            attempt.get().number(),
                            found.total(),
                            found.first(),
                            found.size(),
                            matches));
        }
    }

    private RouteResponse section(RouteRequest call)
            throws RejectedException, StoreFailure, LogUnreadable {
        requireOne(call);
        var id = TaskLookup.id(call);
        var part = LogFollowers.part(call);
        var attempt = requests.attempt(call);
        if (attempt.isEmpty()) {
            return RouteResponse.ok(new LogSection(id.value(), 0, List.of(), 0, 0, false, 0, 0, 0));
        }
        try (var _ = memory.reserve(SECTION_BYTES)) {
            var from = call.query(FROM);
            long before = call.query(BEFORE).orElse(Long.MAX_VALUE);
            var page =
                    from.isPresent()
                            ? logs.pageFrom(attempt.get(), part, from.get())
                            : logs.pageBefore(attempt.get(), part, before);
            var bounds = page.bounds();
            return RouteResponse.ok(
                    new LogSection(
                            id.value(),
                            attempt.get().number(),
                            page.lines(),
                            page.start(),
                            page.next(),
                            page.isPartial(),
                            bounds.size(),
                            bounds.begin(),
                            bounds.end()));
        }
    }

    private static void requireOne(RouteRequest call) throws RejectedException {
        if (call.query(FROM).isPresent() && call.query(BEFORE).isPresent()) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", "before").variant("from_before"));
        }
    }

    private static String text(String text) throws RejectedException {
        if (text.isEmpty() || text.length() > MAX_TEXT || text.contains("\n")) {
            throw new RejectedException(
                    Rejected.invalid("q.invalid", "q").variant("line").with("max", MAX_TEXT));
        }
        return text;
    }
}
