package dev.berth.server.api;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.stream.EventStream;
import dev.berth.server.stream.LogFollower;
import dev.berth.wire.EventInfo;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What has happened, in order, and what happens now. */
final class EventRoutes {

    private static final Param<Long> AFTER =
            Param.number("after", "only events with a higher seq", 0, Long.MAX_VALUE);
    private static final Param<Long> LIMIT =
            Param.number("limit", "how many at most; 100 unless stated", 1, 1000);
    private static final Param<Long> SEEN =
            Param.number("last_event_id", "go on after this one", 0, Long.MAX_VALUE);
    private static final Param<Long> LOG =
            Param.number("log", "also follow the log of this task", 1, Long.MAX_VALUE);
    private static final Param<Long> FROM =
            Param.number("from", "with log: from this byte offset", 0, Long.MAX_VALUE);

    /** Sent by browsers, of whatever they were last told: nonsense only means a fresh start. */
    static final Param<String> LAST_ID =
            Param.header("Last-Event-ID", "what a browser sends when it comes back");

    private final Desk desk;
    private final Streams streams;

    EventRoutes(Desk desk, Streams streams) {
        this.desk = desk;
        this.streams = streams;
    }

    List<Route> routes() {
        var past =
                Doc.of("What has happened, oldest first")
                        .asking(AFTER, LIMIT)
                        .givingMany(200, EventInfo.class)
                        .refusing(422);
        var live =
                Doc.of(
                                "Everything live, as server-sent events: task, alert, gpu, queue,"
                                        + " log and resync")
                        .asking(SEEN, LOG, FROM)
                        .heeding(LAST_ID)
                        .giving(200, new Doc.Shape.Events())
                        .refusing(404, 422, 429);
        return List.of(
                Route.get(PathPattern.of("/api/events"), Access.SERVED, live, this::live),
                Route.get(PathPattern.of("/api/events/log"), Access.SERVED, past, this::log));
    }

    private Answer log(Call call) throws Refused, StoreFailure {
        long after = call.query(AFTER).orElse(0L);
        int limit = call.query(LIMIT).orElse(100L).intValue();
        return Answer.ok(
                desk.queries().eventsAfter(after, limit).stream().map(EventWords::info).toList());
    }

    private Answer live(Call call) throws Refused, StoreFailure {
        var log = call.query(LOG).map(TaskId::new);
        var from = call.query(FROM);
        if (from.isPresent() && log.isEmpty()) {
            throw Refused.invalid(
                    "parameter.conflict", "from", "from has a meaning only with log.");
        }
        var asked = call.query(SEEN);
        var seen = asked.isPresent() ? OptionalLong.of(asked.get()) : lastId(call);
        Optional<LogFollower> follower =
                log.isPresent()
                        ? Optional.of(streams.follower(log.get(), from.orElse(0L)))
                        : Optional.empty();
        return streams.open(
                call,
                isWelcome -> {
                    var wish = new EventStream.Wish(seen, follower, isWelcome);
                    return new EventStream(streams.broadcast(), streams.timing(), wish);
                });
    }

    static OptionalLong lastId(Call call) throws Refused {
        return call.header(LAST_ID)
                .filter(text -> text.matches("[0-9]{1,18}"))
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElseGet(OptionalLong::empty);
    }
}
