package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.TaskCreate;
import dev.berth.wire.TasksCreated;

import java.util.List;
import java.util.stream.LongStream;

/** Many tasks at once. */
final class BatchRoutes {

    private static final int MOST = 1000;

    private static final Doc DOC =
            Doc.of(
                            "Takes 1 to 1000 tasks in, all of them or none; their ids come back in"
                                    + " the same order. 200 if this Idempotency-Key was already"
                                    + " used for the same request")
                    .heeding(SubmitKeys.HEADER)
                    .takingMany(TaskCreate.class)
                    .giving(201, TasksCreated.class)
                    .giving(200, TasksCreated.class)
                    .refusing(400, 413, 422, 429, 503, 507);

    private final Intake intake;
    private final TaskForm form;

    BatchRoutes(Desk desk, TaskForm form) {
        this.intake = new Intake(desk);
        this.form = form;
    }

    List<Route> routes() {
        return List.of(
                Route.post(PathPattern.of("/api/tasks/batch"), Access.SERVED, DOC, this::submit));
    }

    private Answer submit(Call call) throws Refused {
        var body = call.several();
        int count = body.all().size();
        if (count < 1 || count > MOST) {
            throw Refused.invalid(
                    "batch.size",
                    "",
                    "A batch has 1 to " + MOST + " tasks, this one has " + count + ".");
        }
        var entries = form.readAll(body.all(), call.caller());
        var granted = intake.batch(call, entries, body.hash());
        long first = granted.task().value();
        var ids = LongStream.range(first, first + count).boxed().toList();
        return Answer.of(granted.repeated() ? 200 : 201, new TasksCreated(ids));
    }
}
