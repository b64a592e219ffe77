package dev.berth.server.api.log;

import dev.berth.core.Rejected;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
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
import dev.berth.port.read.LogFiles.LogPart;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.LogMatches;
import dev.berth.wire.LogSection;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The whole log of any attempt: search, sections of it, download. */
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
    private static final Param<Long> ATTEMPT =
            Param.number("attempt", "the number of the attempt; the latest if unset", 1, 1 << 30);
    private static final Param<Long> LIMIT =
            Param.number("limit", "the maximum number; 100 if unset", 1, MAX_MATCHES);
    private static final Param<Long> FROM =
            Param.number("from", "the first lines from this byte offset on", 0, Long.MAX_VALUE);
    private static final Param<Long> BEFORE =
            Param.number("before", "the last lines before this byte offset", 0, Long.MAX_VALUE);

    private static final RouteDoc SEARCH_DOC =
            RouteDoc.of("The lines of a log that contain a text, with their numbers and offsets")
                    .withQuery(TEXT, ATTEMPT, FROM, BEFORE, LIMIT)
                    .withResponse(200, LogMatches.class)
                    .withErrors(404, 422, 503);
    private static final RouteDoc SECTION_DOC =
            RouteDoc.of("Lines anywhere in a log; the last ones if neither from nor before is set")
                    .withQuery(ATTEMPT, FROM, BEFORE)
                    .withResponse(200, LogSection.class)
                    .withErrors(404, 422, 503);
    private static final RouteDoc DOWNLOAD_DOC =
            RouteDoc.of("The whole log as a file")
                    .withQuery(ATTEMPT)
                    .withResponse(200, new RouteDoc.BodyType.Text())
                    .withErrors(404, 422);

    private final MemoryBudget memory = MemoryBudget.ofThisProcess();
    private final TaskLookup lookup;
    private final LogFiles logs;

    public LogSearchRoutes(TaskLookup lookup, LogFiles logs) {
        this.lookup = lookup;
        this.logs = logs;
    }

    public List<Route> routes() {
        return List.of(
                route("search", SEARCH_DOC, this::search),
                route("section", SECTION_DOC, this::section),
                route("download", DOWNLOAD_DOC, this::download));
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
        var attempt = attempt(call, id);
        if (attempt.isEmpty()) {
            return RouteResponse.ok(new LogMatches(id.value(), 0, 0, 0, 0, List.of()));
        }
        try (var _ = memory.reserve(SEARCH_BYTES)) {
            var found = logs.search(attempt.get(), search);
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
        var attempt = attempt(call, id);
        if (attempt.isEmpty()) {
            return RouteResponse.ok(new LogSection(id.value(), 0, List.of(), 0, 0, false, 0));
        }
        try (var _ = memory.reserve(SECTION_BYTES)) {
            var from = call.query(FROM);
            LogPart part =
                    from.isPresent()
                            ? logs.partFrom(attempt.get(), from.get())
                            : logs.partBefore(
                                    attempt.get(), call.query(BEFORE).orElse(Long.MAX_VALUE));
            return RouteResponse.ok(
                    new LogSection(
                            id.value(),
                            attempt.get().number(),
                            part.lines(),
                            part.start(),
                            part.next(),
                            part.isPartial(),
                            part.size()));
        }
    }

    private RouteResponse download(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var attempt = attempt(call, id);
        if (attempt.isEmpty()) {
            throw new RejectedException(
                    Rejected.notFound("attempt.unknown").with("task", id).with("attempt", 1));
        }
        var name = "task_" + id + "." + attempt.get().number() + ".log";
        return RouteResponse.download(
                        "text/plain; charset=utf-8", out -> logs.copy(attempt.get(), out::send))
                .with("Content-Disposition", "attachment; filename=\"" + name + "\"");
    }

    private static void requireOne(RouteRequest call) throws RejectedException {
        if (call.query(FROM).isPresent() && call.query(BEFORE).isPresent()) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", "before").variant("from_before"));
        }
    }

    /** Empty if the task has not started yet. Attempts are numbered from 1 without gaps. */
    private Optional<AttemptId> attempt(RouteRequest call, TaskId id)
            throws RejectedException, StoreFailure {
        var latest = lookup.find(id).latest().map(attempt -> attempt.id());
        var number = call.query(ATTEMPT);
        if (number.isEmpty()) {
            return latest;
        }
        if (number.get() > latest.map(AttemptId::number).orElse(0)) {
            throw new RejectedException(
                    Rejected.notFound("attempt.unknown")
                            .with("task", id)
                            .with("attempt", number.get()));
        }
        return Optional.of(new AttemptId(id, number.get().intValue()));
    }

    private static String text(String text) throws RejectedException {
        if (text.isEmpty() || text.length() > MAX_TEXT || text.contains("\n")) {
            throw new RejectedException(
                    Rejected.invalid("q.invalid", "q").variant("line").with("max", MAX_TEXT));
        }
        return text;
    }
}
