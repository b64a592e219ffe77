package dev.berth.server.api.event;

import dev.berth.core.Rejected;
import dev.berth.core.id.TaskId;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.server.stream.EventStream;
import dev.berth.server.stream.LogFollower;
import dev.berth.wire.EventInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Past events in order, and the live event stream. */
public final class EventRoutes {

    private static final Param<Long> AFTER =
            Param.number("after", "only events with a higher seq", 0, Long.MAX_VALUE);
    private static final Param<Long> LIMIT =
            Param.number("limit", "the maximum number; 100 if unset", 1, 1000);
    private static final Param<Long> SEEN =
            Param.number("last_event_id", "continue after this event", 0, Long.MAX_VALUE);
    private static final Param<Long> LOG =
            Param.number("log", "also follow the log of this task", 1, Long.MAX_VALUE);
    private static final Param<Long> FROM =
            Param.number("from", "with log: from this byte offset", 0, Long.MAX_VALUE);

    /** Browsers send the last id they received. An invalid one only means a fresh start. */
    public static final Param<String> LAST_ID =
            Param.header("Last-Event-ID", "sent by a browser when it reconnects");

    private final TaskQueries queries;
    private final StreamOpener streams;
    private final LogFollowers logs;

    public EventRoutes(TaskQueries queries, StreamOpener streams, LogFollowers logs) {
        this.queries = queries;
        this.streams = streams;
        this.logs = logs;
    }

    public List<Route> routes() {
        var past =
                RouteDoc.of("Events, oldest first")
                        .withQuery(AFTER, LIMIT)
                        .withListResponse(200, EventInfo.class)
                        .withErrors(422);
        var live =
                RouteDoc.of(
                                "All live changes as server-sent events: task, alert, gpu, queue,"
                                        + " log and resync")
                        .withQuery(SEEN, LOG, FROM, LogFollowers.BANNER)
                        .withHeaders(LAST_ID)
                        .withResponse(200, new RouteDoc.BodyType.Events())
                        .withErrors(404, 422, 429);
        return List.of(
                Route.get(PathPattern.of("/api/events"), AccessLevel.SERVED, live, this::live),
                Route.get(PathPattern.of("/api/events/log"), AccessLevel.SERVED, past, this::log));
    }

    private RouteResponse log(RouteRequest call) throws RejectedException, StoreFailure {
        long after = call.query(AFTER).orElse(0L);
        int limit = call.query(LIMIT).orElse(100L).intValue();
        return RouteResponse.ok(visible(after, limit, call.caller()));
    }

    /** Pages are read until enough events are visible: an empty answer means the end. */
    private List<EventInfo> visible(long after, int limit, Caller caller) throws StoreFailure {
        var found = new ArrayList<EventInfo>();
        long last = after;
        while (found.size() < limit) {
            var page = queries.eventsAfter(last, limit);
            page.stream()
                    .filter(event -> EventAccess.sees(caller, event))
                    .limit((long) limit - found.size())
                    .map(event -> EventJson.info(event, caller))
                    .forEach(found::add);
            if (page.size() < limit) {
                break;
            }
            last = page.getLast().seq();
        }
        return found;
    }

    private RouteResponse live(RouteRequest call) throws RejectedException, StoreFailure {
        var log = call.query(LOG).map(TaskId::new);
        var from = call.query(FROM);
        if (from.isPresent() && log.isEmpty()) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", "from").variant("from_log"));
        }
        var asked = call.query(SEEN);
        var seen = asked.isPresent() ? OptionalLong.of(asked.get()) : lastId(call);
        Optional<LogFollower> follower =
                log.isPresent()
                        ? Optional.of(
                                logs.follow(
                                        log.get(),
                                        call.caller(),
                                        LogFollowers.part(call),
                                        from.orElse(0L)))
                        : Optional.empty();
        return streams.open(
                call,
                isAuthenticated -> {
                    var options =
                            new EventStream.StreamOptions(
                                    seen, call.caller(), follower, isAuthenticated);
                    return new EventStream(streams.broadcast(), streams.timing(), options);
                });
    }

    public static OptionalLong lastId(RouteRequest call) throws RejectedException {
        return call.header(LAST_ID)
                .filter(text -> text.matches("[0-9]{1,18}"))
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElseGet(OptionalLong::empty);
    }
}
