package dev.berth.server.api;

import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;
import dev.berth.engine.port.TaskLogs.Piece;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.stream.LogStream;
import dev.berth.wire.TaskLog;

import java.util.List;

/** What a task has printed. */
final class LogRoutes {

    private static final Param<Long> TAIL =
            Param.number("tail", "the last so many lines; 100 unless stated", 1, 10_000);
    private static final Param<Long> FROM =
            Param.number(
                    "from",
                    "read on from this byte offset, as given in next_offset",
                    0,
                    Long.MAX_VALUE);
    private static final Param<Boolean> PARTIAL =
            Param.flag("partial", "with from: also a last line that has no newline yet");

    private final Desk desk;
    private final Streams streams;

    LogRoutes(Desk desk, Streams streams) {
        this.desk = desk;
        this.streams = streams;
    }

    List<Route> routes() {
        var doc =
                Doc.of("The log of a task's latest attempt, also while it runs")
                        .asking(TAIL, FROM, PARTIAL)
                        .giving(200, TaskLog.class)
                        .refusing(404, 422, 503);
        var live =
                Doc.of("The same as it grows, as server-sent events: log, and end when it is over")
                        .asking(FROM)
                        .heeding(EventRoutes.LAST_ID)
                        .giving(200, new Doc.Shape.Events())
                        .refusing(404, 422, 429);
        return List.of(
                Route.get(
                        PathPattern.of("/api/tasks/{id}/logs", TaskRoutes.ID),
                        Access.SERVED,
                        doc,
                        this::log),
                Route.get(
                        PathPattern.of("/api/tasks/{id}/logs/stream", TaskRoutes.ID),
                        Access.SERVED,
                        live,
                        this::follow));
    }

    private Answer follow(Call call) throws Refused, StoreFailure {
        long from = EventRoutes.lastId(call).orElse(call.query(FROM).orElse(0L));
        var follower = streams.follower(TaskRoutes.id(call), from);
        return streams.open(
                call,
                isWelcome ->
                        new LogStream(streams.broadcast(), streams.timing(), follower, isWelcome));
    }

    private Answer log(Call call) throws Refused, StoreFailure, LogUnreadable {
        var id = TaskRoutes.id(call);
        var tail = call.query(TAIL);
        var from = call.query(FROM);
        var partial = call.query(PARTIAL);
        if (tail.isPresent() && from.isPresent()) {
            throw Refused.invalid(
                    "parameter.conflict", "tail", "Ask for tail or for from, not for both.");
        }
        if (partial.isPresent() && from.isEmpty()) {
            throw Refused.invalid(
                    "parameter.conflict", "partial", "partial has a meaning only with from.");
        }
        var attempt = desk.find(id).latest();
        var piece =
                attempt.isEmpty()
                        ? new Piece(List.of(), false, false, 0)
                        : from.isPresent()
                                ? desk.logs()
                                        .from(attempt.get().id(), from.get(), partial.orElse(false))
                                : tail(attempt.get().id(), tail.orElse(100L));
        return Answer.ok(
                new TaskLog(id.value(), piece.lines(), piece.truncated(), piece.nextOffset()));
    }

    private Piece tail(AttemptId attempt, long lines) throws LogUnreadable {
        return desk.logs().tail(attempt, (int) lines);
    }
}
