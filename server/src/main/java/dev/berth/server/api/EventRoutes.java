package dev.berth.server.api;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.EventInfo;

import java.util.List;

/** What has happened, in order. */
final class EventRoutes {

    private static final Param<Long> AFTER =
            Param.number("after", "only events with a higher seq", 0, Long.MAX_VALUE);
    private static final Param<Long> LIMIT =
            Param.number("limit", "how many at most; 100 unless stated", 1, 1000);

    private final Desk desk;

    EventRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        var doc =
                Doc.of("What has happened, oldest first")
                        .asking(AFTER, LIMIT)
                        .givingMany(200, EventInfo.class)
                        .refusing(422);
        return List.of(Route.get(PathPattern.of("/api/events/log"), Access.SERVED, doc, this::log));
    }

    private Answer log(Call call) throws Refused, StoreFailure {
        long after = call.query(AFTER).orElse(0L);
        int limit = call.query(LIMIT).orElse(100L).intValue();
        return Answer.ok(
                desk.queries().eventsAfter(after, limit).stream().map(EventRoutes::info).toList());
    }

    private static EventInfo info(Event event) {
        return new EventInfo(
                event.seq(),
                Times.text(event.at()),
                event.actor().name(),
                event.kind().word(),
                event.task().map(TaskId::value).orElse(null),
                event.attempt().map(attempt -> attempt.number()).orElse(null),
                event.data());
    }
}
