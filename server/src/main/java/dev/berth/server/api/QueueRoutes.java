package dev.berth.server.api;

import dev.berth.core.line.LineId;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.Queue;
import dev.berth.wire.QueuePosition;
import dev.berth.wire.QueueTask;

import java.util.List;

/** What waits, in the order in which it starts. */
final class QueueRoutes {

    private static final Param<Long> TASKS =
            Param.number("limit", "how many tasks of each line; 100 unless stated", 1, 1000);
    private static final Param<Long> FIRST =
            Param.number("limit", "how many; 10 unless stated", 1, 1000);

    private static final Doc SHOW_DOC =
            Doc.of("All that waits, line by line, and why nothing starts if so")
                    .asking(TASKS)
                    .giving(200, Queue.class)
                    .refusing(422);

    private static final Doc PEEK_DOC =
            Doc.of("The tasks of all lines that Berth looks at first; they stay where they are")
                    .asking(FIRST)
                    .givingMany(200, QueueTask.class)
                    .refusing(422);

    private static final Doc POSITION_DOC =
            Doc.of("How many are before a task in its line; null where it does not wait")
                    .giving(200, QueuePosition.class)
                    .refusing(404, 422);

    private final Desk desk;

    QueueRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/queue"), Access.SERVED, SHOW_DOC, this::show),
                Route.get(PathPattern.of("/api/queue/peek"), Access.SERVED, PEEK_DOC, this::peek),
                Route.get(
                        PathPattern.of("/api/queue/position/{id}", TaskRoutes.ID),
                        Access.SERVED,
                        POSITION_DOC,
                        this::position));
    }

    private Answer show(Call call) throws Refused {
        int most = call.query(TASKS).orElse(100L).intValue();
        var engine = desk.engine().engine();
        var state = desk.engine().state();
        var snapshot = desk.snapshot();
        var words = new QueueWords(snapshot);
        var waits = engine.waits(snapshot.at());
        int queued = state.waiting().size();
        int pending = state.drafts().total();
        return Answer.ok(
                new Queue(
                        queued,
                        state.tasks().size() - queued - pending,
                        pending,
                        state.books().scheduler().isRunning(),
                        snapshot.pause().map(ReasonWords::of).orElse(null),
                        waits.longest().map(words::waitSeconds).orElse(null),
                        waits.longest().map(one -> one.id().value()).orElse(null),
                        waits.limit().toSeconds(),
                        waits.late(),
                        snapshot.waiting().order().word(),
                        engine.planner().placement().word(),
                        words.priorities(),
                        words.lines(most)));
    }

    private Answer peek(Call call) throws Refused {
        int most = call.query(FIRST).orElse(10L).intValue();
        return Answer.ok(new QueueWords(desk.snapshot()).peek(most));
    }

    private Answer position(Call call) throws Refused, StoreFailure {
        var id = TaskRoutes.id(call);
        var task = desk.task(id);
        var snapshot = desk.snapshot();
        var position = snapshot.waiting().position(task, snapshot::used);
        return Answer.ok(
                position.isPresent()
                        ? new QueuePosition(id.value(), LineId.of(task).name(), position.getAsInt())
                        : new QueuePosition(id.value(), null, null));
    }
}
