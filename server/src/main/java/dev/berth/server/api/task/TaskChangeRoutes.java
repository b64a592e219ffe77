package dev.berth.server.api.task;

import dev.berth.core.id.TaskId;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.JsonFields;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.TaskChange;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Changes a task that has not started. */
public final class TaskChangeRoutes {

    /** How often another change may win the race. */
    private static final int TRIES = 5;

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "Changes a task that has not started; it keeps its queue position."
                                    + " Fields that are not named stay, null unsets a field")
                    .withBody(TaskChange.class)
                    .withResponse(200, TaskDetail.class)
                    .withErrors(400, 403, 404, 409, 413, 422, 503, 507);
    private final EngineClient engine;
    private final TaskLookup lookup;
    private final TaskRequest form;
    private final TaskJson words;

    public TaskChangeRoutes(
            EngineClient engine, TaskLookup lookup, TaskRequest form, TaskJson words) {
        this.engine = engine;
        this.lookup = lookup;
        this.form = form;
        this.words = words;
    }

    public List<Route> routes() {
        return List.of(
                Route.patch(
                        PathPattern.of("/api/tasks/{id}", TaskLookup.ID),
                        AccessLevel.USER,
                        DOC,
                        this::change));
    }

    private RouteResponse change(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var change = call.body().fields();
        TaskRequest.requireChangeable(change);
        var reply = revise(call, id, change);
        for (int i = 1; i < TRIES && isConcurrentChange(reply); i++) {
            reply = revise(call, id, change);
        }
        if (!(reply instanceof EngineReply.TaskAccepted)) {
            throw EngineClient.rejection(reply);
        }
        return RouteResponse.ok(words.detail(lookup.whole(id)));
    }

    private EngineReply revise(RouteRequest call, TaskId id, JsonFields change)
            throws RejectedException, StoreFailure {
        var task = lookup.changeable(id, call.caller());
        var after = form.change(change, task);
        if (!change.isAbsent("priority")) {
            TaskRequest.requirePriority(after, call.caller());
        }
        return engine.request(
                new EngineCommand.ChangeTask(
                        engine.now(), call.caller().owner(), id, task.spec(), after),
                call.caller().via());
    }

    /** Another request changed the task after it was read here. */
    private static boolean isConcurrentChange(EngineReply reply) {
        return reply instanceof EngineReply.Refused(var why) && why.code().equals("task.changed");
    }
}
