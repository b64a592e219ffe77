package dev.berth.server.api;

import dev.berth.core.plan.Verdict;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.Placement;

import java.util.List;

/** Where a task would go now, and why not elsewhere. */
final class PlacementRoutes {

    private static final Doc DOC =
            Doc.of(
                            "Each card with what speaks for and against it for this task; chosen is"
                                    + " what it would take if it were its turn now")
                    .giving(200, Placement.class)
                    .refusing(404, 422);

    private final Desk desk;

    PlacementRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/tasks/{id}/placement", TaskRoutes.ID),
                        Access.SERVED,
                        DOC,
                        this::show));
    }

    private Answer show(Call call) throws Refused, StoreFailure {
        var id = TaskRoutes.id(call);
        var task = desk.task(id);
        var planner = desk.engine().engine().planner();
        var snapshot = desk.snapshot();
        var words = new PlacementWords(planner, snapshot, task);
        return Answer.ok(
                switch (task.state()) {
                    case TaskState.Queued _ ->
                            switch (planner.why(snapshot, task)) {
                                case Verdict.Start start -> words.starting(start);
                                case Verdict.Wait wait -> words.waiting(wait);
                            };
                    case TaskState.Pending _ -> words.waiting(List.of());
                    case TaskState.Running _,
                            TaskState.Completed _,
                            TaskState.Failed _,
                            TaskState.Cancelled _ ->
                            words.over();
                });
    }
}
