package dev.berth.server.api.log;

import dev.berth.core.Rejected;
import dev.berth.core.id.AttemptId;
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
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogSection;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.event.EventRoutes;
import dev.berth.server.api.event.LogFollowers;
import dev.berth.server.api.event.StreamOpener;
import dev.berth.server.stream.LogStream;
import dev.berth.wire.TaskLog;

import java.util.List;

/** The output of a task. */
public final class TaskLogRoutes {

    /** The most that one tail reads, and the most of one line. */
    private static final long MAX_TAIL_BYTES = 4 << 20;

    private static final long LINE_BYTES = 16 << 10;

    private final MemoryBudget memory = MemoryBudget.ofThisProcess();

    private static final Param<Long> TAIL =
            Param.number("tail", "the number of last lines; 100 if unset", 1, 10_000);
    static final Param<Long> FROM =
            Param.number(
                    "from",
                    "continue at this byte offset, as given in next_offset",
                    0,
                    Long.MAX_VALUE);
    private static final Param<Boolean> PARTIAL =
            Param.flag("partial", "with from: also a last line that has no newline yet");
    private final LogRequests requests;
    private final TaskLogs logs;
    private final LogFollowers followers;
    private final StreamOpener streams;

    public TaskLogRoutes(
            TaskLookup lookup, TaskLogs logs, LogFollowers followers, StreamOpener streams) {
        this.requests = new LogRequests(lookup);
        this.logs = logs;
        this.followers = followers;
        this.streams = streams;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of("The log of an attempt, the latest if unset, also while it runs")
                        .withQuery(TAIL, FROM, PARTIAL, LogRequests.ATTEMPT, LogFollowers.BANNER)
                        .withResponse(200, TaskLog.class)
                        .withErrors(404, 410, 422, 503);
        var live =
                RouteDoc.of(
                                "The log as it grows, as server-sent events: log, and end when the"
                                        + " task has ended")
                        .withQuery(FROM, LogFollowers.BANNER)
                        .withHeaders(EventRoutes.LAST_ID)
                        .withResponse(200, new RouteDoc.BodyType.Events())
                        .withErrors(404, 410, 422, 429, 503);
        return List.of(
                Route.get(
                        PathPattern.of("/api/tasks/{id}/logs", TaskLookup.ID),
                        AccessLevel.SERVED,
                        doc,
                        this::log),
                Route.get(
                        PathPattern.of("/api/tasks/{id}/logs/stream", TaskLookup.ID),
                        AccessLevel.SERVED,
                        live,
                        this::follow));
    }

    private RouteResponse follow(RouteRequest call)
            throws RejectedException, StoreFailure, LogUnreadable {
        var task = requests.task(call);
        if (task.attempts() > 0) {
            // A log that cannot be read is an error, as in the other routes, and not an empty
            // stream.
            var latest = new AttemptId(task.id(), task.attempts());
            var _ = logs.bytes(latest, LogPart.WHOLE, 0, 1);
        }
        long from = EventRoutes.lastId(call).orElse(call.query(FROM).orElse(0L));
        var follower =
                followers.follow(TaskLookup.id(call), call.caller(), LogFollowers.part(call), from);
        return streams.open(
                call,
                isAuthenticated ->
                        new LogStream(
                                streams.broadcast(), streams.timing(), follower, isAuthenticated));
    }

    private RouteResponse log(RouteRequest call)
            throws RejectedException, StoreFailure, LogUnreadable {
        var id = TaskLookup.id(call);
        var tail = call.query(TAIL);
        var from = call.query(FROM);
        var partial = call.query(PARTIAL);
        if (tail.isPresent() && from.isPresent()) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", "tail").variant("tail_from"));
        }
        if (partial.isPresent() && from.isEmpty()) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", "partial").variant("partial_from"));
        }
        var attempt = requests.attempt(call);
        var part = LogFollowers.part(call);
        var piece =
                attempt.isEmpty()
                        ? new LogSection(List.of(), false, false, 0)
                        : from.isPresent()
                                ? logs.from(attempt.get(), part, from.get(), partial.orElse(false))
                                : tail(attempt.get(), part, tail.orElse(100L));
        return RouteResponse.ok(
                new TaskLog(id.value(), piece.lines(), piece.truncated(), piece.nextOffset()));
    }

    private LogSection tail(AttemptId attempt, LogPart part, long lines)
            throws LogUnreadable, RejectedException {
        try (var _ = memory.reserve(Math.min(MAX_TAIL_BYTES, lines * LINE_BYTES))) {
            return logs.tail(attempt, part, (int) lines);
        }
    }
}
