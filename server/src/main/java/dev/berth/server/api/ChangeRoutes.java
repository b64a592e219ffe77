package dev.berth.server.api;

import dev.berth.core.task.TaskId;
import dev.berth.engine.Command;
import dev.berth.engine.Reply;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.TaskChange;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Changes what a task asks for, as long as it has not started. */
final class ChangeRoutes {

    /** So often somebody else may get in between. */
    private static final int TRIES = 5;

    private static final Doc DOC =
            Doc.of(
                            "Changes a task that has not started; it keeps its place in line. What"
                                    + " is not named stays, null makes it unset")
                    .taking(TaskChange.class)
                    .giving(200, TaskDetail.class)
                    .refusing(400, 404, 409, 413, 422, 503, 507);

    private final Desk desk;
    private final TaskForm form;
    private final TaskWords words;

    ChangeRoutes(Desk desk, TaskForm form) {
        this.desk = desk;
        this.form = form;
        this.words = new TaskWords(desk);
    }

    List<Route> routes() {
        return List.of(
                Route.patch(
                        PathPattern.of("/api/tasks/{id}", TaskRoutes.ID),
                        Access.SERVED,
                        DOC,
                        this::change));
    }

    private Answer change(Call call) throws Refused, StoreFailure {
        var id = TaskRoutes.id(call);
        var change = call.body().fields();
        TaskForm.expectChange(change);
        var reply = revise(call, id, change);
        for (int i = 1; i < TRIES && isOutrun(reply); i++) {
            reply = revise(call, id, change);
        }
        if (!(reply instanceof Reply.Granted)) {
            throw Desk.refused(reply);
        }
        return Answer.ok(words.detail(desk.find(id)));
    }

    private Reply revise(Call call, TaskId id, JsonFields change) throws Refused, StoreFailure {
        var task = desk.task(id);
        var after = form.change(change, task);
        return desk.reply(
                new Command.Revise(
                        desk.engine().now(), call.caller().owner(), id, task.spec(), after));
    }

    /** Somebody else has changed it between our look and our word. */
    private static boolean isOutrun(Reply reply) {
        return reply instanceof Reply.Refused(var why) && why.code().equals("task.changed");
    }
}
