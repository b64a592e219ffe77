package dev.berth.server.api.audit;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
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
import dev.berth.port.event.EventCodec;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.TaskQueries;
import dev.berth.server.api.SearchLimit;
import dev.berth.server.api.TimeWindow;
import dev.berth.server.api.event.EventJson;
import dev.berth.wire.EventInfo;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Lists the events of the audit. */
public final class AuditRoutes {

    private static final String PATH = "/api/audit";
    private static final long MAX_ROWS = 1000;

    private static final Param<String> ACTOR =
            Param.text("actor", "only what this user did; berth is Berth itself");
    private static final Param<String> KIND =
            Param.choice("kind", "only events of this kind, or of this first part", kinds());
    private static final Param<Long> TASK =
            Param.number("task", "only events about this task", 1, Long.MAX_VALUE);
    private static final Param<Instant> SINCE =
            TimeWindow.time("since", "from this time on, as 2026-01-31T08:00:00Z");
    private static final Param<Instant> UNTIL = TimeWindow.time("until", "before this time");
    private static final Param<Boolean> BERTH =
            Param.flag("berth", "true: also what Berth itself did; false if unset");
    private static final Param<Long> LIMIT =
            Param.number("limit", "the maximum number; 100 if unset", 1, MAX_ROWS);
    private static final Param<Long> BEFORE =
            Param.number("before", "only events with a lower seq", 0, Long.MAX_VALUE);

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "Who did what, newest first; Link is the next page. An admin sees all,"
                                    + " others what they did and what is about their own tasks")
                    .withQuery(ACTOR, KIND, TASK, SINCE, UNTIL, BERTH, LIMIT, BEFORE)
                    .withListResponse(200, EventInfo.class)
                    .withErrors(422, 503);

    private final TaskQueries queries;
    private final SearchLimit searches = SearchLimit.usual();

    public AuditRoutes(TaskQueries queries) {
        this.queries = queries;
    }

    private static List<String> kinds() {
        return EventCodec.types().stream()
                .map(EventCodec::kindOf)
                .flatMap(kind -> Stream.of(kind, kind.substring(0, kind.indexOf('.'))))
                .distinct()
                .sorted()
                .toList();
    }

    public List<Route> routes() {
        return List.of(Route.get(PathPattern.of(PATH), AccessLevel.SERVED, DOC, this::list));
    }

    private RouteResponse list(RouteRequest call) throws RejectedException, StoreFailure {
        int limit = call.query(LIMIT).orElse(100L).intValue();
        var before = call.query(BEFORE).map(OptionalLong::of).orElseGet(OptionalLong::empty);
        var filter = filter(call);
        // With a filter that matches little, the database reads all events.
        try (var _ = searches.begin()) {
            var events = queries.audit(filter, before, limit);
            var answer = RouteResponse.ok(events.stream().map(EventJson::info).toList());
            return events.size() < limit
                    ? answer
                    : answer.with("Link", next(call, limit, events.getLast().seq()));
        }
    }

    private static AuditFilter filter(RouteRequest call) throws RejectedException {
        var actor = call.query(ACTOR);
        boolean isBerth = actor.filter(Owner.BERTH.name()::equals).isPresent();
        return new AuditFilter(
                visibleTo(call.caller()),
                actor,
                call.query(KIND),
                call.query(TASK).map(TaskId::new),
                new AuditFilter.Period(call.query(SINCE), call.query(UNTIL)),
                isBerth || call.query(BERTH).orElse(false));
    }

    /** Only an admin sees what concerns others. */
    static Optional<Owner> visibleTo(Caller caller) {
        return caller.isAdmin() ? Optional.empty() : Optional.of(caller.owner());
    }

    private static String next(RouteRequest call, int limit, long last) throws RejectedException {
        var query = new StringBuilder(PATH + "?limit=" + limit + "&before=" + last);
        for (var param : List.of(ACTOR, KIND, TASK, SINCE, UNTIL, BERTH)) {
            call.query(param)
                    .ifPresent(
                            value ->
                                    query.append('&')
                                            .append(param.name())
                                            .append('=')
                                            .append(
                                                    URLEncoder.encode(
                                                            value.toString(),
                                                            StandardCharsets.UTF_8)));
        }
        return "<" + query + ">; rel=\"next\"";
    }
}
