package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.TaskAgain;
import dev.berth.wire.TaskCreate;
import dev.berth.wire.TaskDetail;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Submits, shows, cancels and clones tasks, and waits for them. */
public final class TaskRoutes {

    private static final Param<Long> SECONDS =
            Param.number("seconds", "the maximum wait; 30 if unset", 0, 60);
    private static final Param<String> KEY = IdempotencyKeys.HEADER;

    private final EngineClient engine;
    private final TaskLookup lookup;
    private final TaskRequest form;
    private final TaskJson words;
    private final TaskEndWaiters finishes;
    private final TaskSubmission intake;

    public TaskRoutes(
            EngineClient engine,
            TaskLookup lookup,
            TaskRequest form,
            TaskJson words,
            TaskEndWaiters finishes) {
        this.engine = engine;
        this.lookup = lookup;
        this.form = form;
        this.words = words;
        this.finishes = finishes;
        this.intake = new TaskSubmission(engine, lookup, words);
    }

    public List<Route> routes() {
        return List.of(
                Route.post(
                        PathPattern.of("/api/tasks"), AccessLevel.USER, SUBMIT_DOC, this::submit),
                Route.get(
                        PathPattern.of("/api/tasks/{id}", TaskLookup.ID),
                        AccessLevel.SERVED,
                        SHOW_DOC,
                        this::show),
                Route.post(
                        PathPattern.of("/api/tasks/{id}/cancel", TaskLookup.ID),
                        AccessLevel.USER,
                        CANCEL_DOC,
                        this::cancel),
                Route.post(
                        PathPattern.of("/api/tasks/{id}/clone", TaskLookup.ID),
                        AccessLevel.USER,
                        CLONE_DOC,
                        this::repeat),
                Route.get(
                        PathPattern.of("/api/tasks/{id}/wait", TaskLookup.ID),
                        AccessLevel.SERVED,
                        WAIT_DOC,
                        this::await));
    }

    private static final RouteDoc SUBMIT_DOC =
            RouteDoc.of(
                            "Submits a task and returns it; 200 if this Idempotency-Key was already"
                                    + " used for the same request")
                    .withHeaders(KEY)
                    .withBody(TaskCreate.class)
                    .withResponse(201, TaskDetail.class)
                    .withResponse(200, TaskDetail.class)
                    .withErrors(400, 403, 413, 422, 429, 503, 507);

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of("One task in full; env has only names, position is counted from 0")
                    .withResponse(200, TaskDetail.class)
                    .withErrors(404, 422);

    private static final RouteDoc CANCEL_DOC =
            RouteDoc.of(
                            "Cancels a task: a queued one at once, a running one when none of its"
                                    + " processes is left; 202 if the database cannot be written"
                                    + " now: its processes are ended, and the cancel is recorded"
                                    + " later")
                    .withResponse(200, TaskDetail.class)
                    .withResponse(202, TaskDetail.class)
                    .withErrors(400, 404, 409, 422, 503, 507);

    private static final RouteDoc CLONE_DOC =
            RouteDoc.of("Submits a copy of a task, with the given changes")
                    .withHeaders(KEY)
                    .withBody(TaskAgain.class)
                    .withResponse(201, TaskDetail.class)
                    .withResponse(200, TaskDetail.class)
                    .withErrors(400, 403, 404, 422, 429, 503, 507);

    private static final RouteDoc WAIT_DOC =
            RouteDoc.of("Responds when the task has ended, or after the given time")
                    .withQuery(SECONDS)
                    .withResponse(200, TaskDetail.class)
                    .withErrors(404, 422);

    private RouteResponse submit(RouteRequest call) throws RejectedException, StoreFailure {
        var body = call.body();
        var entry = form.read(body.fields(), call.caller());
        return intake.submit(call, entry, body.hash());
    }

    private RouteResponse repeat(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var body = call.body();
        var changes = body.fields();
        TaskRequest.requireCloneable(changes);
        var task = lookup.changeable(id, call.caller());
        if (task.spec().isWorker()) {
            throw new RejectedException(Rejected.conflict("task.is_worker").with("task", id));
        }
        var owner = call.caller().owner();
        var spec = form.specOfClone(changes, task, owner);
        TaskRequest.requirePriority(spec, call.caller());
        var entry = new EngineCommand.NewTask(owner, spec, false);
        return intake.submit(call, entry, body.hash());
    }

    private RouteResponse show(RouteRequest call) throws RejectedException, StoreFailure {
        var found = lookup.whole(TaskLookup.id(call));
        var forecasts = engine.forecasts();
        boolean isOver = found.task().state().isFinal();
        return RouteResponse.ok(
                words.detail(
                        found,
                        isOver ? forecasts.newest() : forecasts.fresh(),
                        lookup.access().viewOf(call.caller(), found.task().owner())));
    }

    private RouteResponse cancel(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        call.body().fields().requireKnown(Set.of(), Set.of());
        // The engine holds only live tasks; the store decides whether the task ever existed.
        var _ = lookup.changeable(id, call.caller());
        var reply =
                engine.request(
                        new EngineCommand.Cancel(engine.now(), call.caller().owner(), id),
                        call.caller().via());
        return switch (reply) {
            case EngineReply.TaskAccepted _ -> RouteResponse.ok(words.detail(lookup.whole(id)));
            case EngineReply.CancelPending _ ->
                    RouteResponse.of(202, words.detail(lookup.whole(id)));
            case EngineReply other -> throw EngineClient.rejection(other);
        };
    }

    private RouteResponse await(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var seconds = call.query(SECONDS).orElse(30L);
        // Without reading the task first: the engine knows which tasks have not ended.
        finishes.await(id, Duration.ofSeconds(seconds));
        var found = lookup.whole(id);
        return RouteResponse.ok(
                words.detail(
                        found,
                        engine.forecasts().newest(),
                        lookup.access().viewOf(call.caller(), found.task().owner())));
    }
}
