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
import dev.berth.http.StreamOutput;
import dev.berth.http.limit.MemoryBudget;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogStart;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.event.LogFollowers;

import java.io.IOException;
import java.util.List;

/** The log of an attempt as bytes: whole, as a download, or in pieces. */
public final class LogFileRoutes {

    private static final String TYPE = "text/plain; charset=utf-8";
    private static final int MAX_PIECE_BYTES = 256 << 10;
    private static final int DOWNLOAD_PIECE_BYTES = MemoryBudget.FREE_BYTES;

    private static final Param<Long> TAIL =
            Param.number("tail", "begin with this many last lines", 1, Long.MAX_VALUE);
    private static final Param<Long> LIMIT =
            Param.number(
                    "limit",
                    "at most this many bytes; all up to the present end if unset",
                    1,
                    MAX_PIECE_BYTES);

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "The log of an attempt, the latest if unset, as bytes. Headers:"
                                    + " X-Log-Attempt, X-Log-Attempts (their number),"
                                    + " X-Log-Truncated (there are earlier lines), and with limit"
                                    + " X-Next-Offset")
                    .withQuery(
                            LogRequests.ATTEMPT,
                            LogFollowers.BANNER,
                            TAIL,
                            TaskLogRoutes.FROM,
                            LIMIT)
                    .withResponse(200, new RouteDoc.BodyType.Text())
                    .withErrors(404, 410, 422, 503);

    private final MemoryBudget memory = MemoryBudget.ofThisProcess();
    private final LogRequests requests;
    private final TaskLogs logs;

    public LogFileRoutes(TaskLookup lookup, TaskLogs logs) {
        this.requests = new LogRequests(lookup);
        this.logs = logs;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/tasks/{id}/logs/raw", TaskLookup.ID),
                        AccessLevel.SERVED,
                        DOC,
                        this::raw));
    }

    private RouteResponse raw(RouteRequest call)
            throws RejectedException, StoreFailure, LogUnreadable {
        if (call.query(TAIL).isPresent() && call.query(TaskLogRoutes.FROM).isPresent()) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", "tail").variant("tail_from"));
        }
        var task = requests.task(call);
        var attempt = LogRequests.attempt(call, task);
        var part = LogFollowers.part(call);
        if (attempt.isEmpty()) {
            return named(RouteResponse.bytes(TYPE, new byte[0]), "task-" + task.id())
                    .with("X-Log-Attempts", "0")
                    .with("X-Next-Offset", "0");
        }
        var start = start(call, attempt.get(), part);
        var limit = call.query(LIMIT);
        var response =
                limit.isPresent() || call.isHead()
                        ? piece(attempt.get(), part, start, limit.orElse(1L).intValue())
                        : download(attempt.get(), part, start);
        return response.with("X-Log-Attempt", Integer.toString(attempt.get().number()))
                .with("X-Log-Attempts", Integer.toString(task.attempts()))
                .with("X-Log-Truncated", Boolean.toString(start.truncated()));
    }

    private LogStart start(RouteRequest call, AttemptId attempt, LogPart part)
            throws RejectedException, LogUnreadable {
        var tail = call.query(TAIL);
        if (tail.isPresent()) {
            return logs.startOfLast(attempt, part, tail.get());
        }
        long from = call.query(TaskLogRoutes.FROM).orElse(0L);
        return new LogStart(from, from > 0);
    }

    private RouteResponse piece(AttemptId attempt, LogPart part, LogStart start, int limit)
            throws RejectedException, LogUnreadable {
        try (var _ = memory.reserve(limit)) {
            var piece = logs.bytes(attempt, part, start.offset(), limit);
            return RouteResponse.bytes(TYPE, piece.bytes())
                    .with("X-Next-Offset", Long.toString(piece.nextOffset()));
        }
    }

    /** Up to the present end: a task may write faster than the client reads. */
    private RouteResponse download(AttemptId attempt, LogPart part, LogStart start)
            throws LogUnreadable {
        long end = logs.bytes(attempt, part, start.offset(), 1).end();
        var name = "task-" + attempt.task() + "-attempt-" + attempt.number();
        return named(
                RouteResponse.download(TYPE, out -> send(attempt, part, start.offset(), end, out)),
                name);
    }

    private static RouteResponse named(RouteResponse response, String name) {
        return response.with("Content-Disposition", "attachment; filename=\"" + name + ".log\"");
    }

    private void send(AttemptId attempt, LogPart part, long from, long end, StreamOutput out)
            throws IOException, InterruptedException {
        long offset = from;
        while (offset < end) {
            try {
                int limit = (int) Math.min(DOWNLOAD_PIECE_BYTES, end - offset);
                var piece = logs.bytes(attempt, part, offset, limit);
                if (piece.bytes().length == 0 || piece.nextOffset() <= offset) {
                    return;
                }
                out.send(piece.bytes());
                offset = piece.nextOffset();
            } catch (LogUnreadable failure) {
                // The status is already sent: the client sees a broken download.
                throw new IOException(failure.getMessage(), failure);
            }
        }
    }
}
