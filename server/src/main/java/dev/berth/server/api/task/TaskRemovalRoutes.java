package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.EndedTasks.Selection;
import dev.berth.retention.TaskRemover;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.FileFailure;
import dev.berth.server.api.TaskAccess;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.TasksRemoved;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Removes ended tasks with their files. */
public final class TaskRemovalRoutes {

    private static final long MAX_SECONDS = 36_500L * 86_400;
    private static final String ENDED = "ended";

    private static final Param<String> STATUS =
            Param.choice(
                    "status",
                    "required: only tasks in this state; ended for all that have ended",
                    List.of(ENDED, "completed", "failed", "cancelled"));
    private static final Param<Long> OLDER_THAN =
            Param.number(
                    "older_than", "only tasks that ended this many seconds ago", 0, MAX_SECONDS);
    private static final Param<String> OWNER = Param.text("owner", "only tasks of this user");
    private static final Param<String> NAME =
            Param.text("name", "only tasks whose name matches; * and ? are wildcards");
    private static final Param<Long> LIMIT =
            Param.number(
                    "limit",
                    "the maximum number; " + TaskRemover.MAX_BATCH + " if unset",
                    1,
                    TaskRemover.MAX_BATCH);
    private static final Param<Boolean> DRY_RUN = Param.flag("dry_run", "only count the tasks");

    private static final RouteDoc ONE_DOC =
            RouteDoc.of("Removes an ended task with its logs and all its files")
                    .withResponse(200, TasksRemoved.class)
                    .withErrors(403, 404, 409, 422, 503, 507);

    private static final RouteDoc MANY_DOC =
            RouteDoc.of(
                            "Removes ended tasks with their files, those that ended first; repeat"
                                    + " the request while remaining is not 0")
                    .withQuery(STATUS, OLDER_THAN, OWNER, NAME, LIMIT, DRY_RUN)
                    .withResponse(200, TasksRemoved.class)
                    .withErrors(403, 422, 503, 507);

    private final EngineClient engine;
    private final TaskLookup lookup;
    private final TaskRemover remover;

    public TaskRemovalRoutes(EngineClient engine, TaskLookup lookup, TaskRemover remover) {
        this.engine = engine;
        this.lookup = lookup;
        this.remover = remover;
    }

    public List<Route> routes() {
        return List.of(
                Route.delete(
                        PathPattern.of("/api/tasks/{id}", TaskLookup.ID),
                        AccessLevel.USER,
                        ONE_DOC,
                        this::removeOne),
                Route.delete(
                        PathPattern.of("/api/tasks"),
                        AccessLevel.USER,
                        MANY_DOC,
                        this::removeMany));
    }

    private RouteResponse removeOne(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        TaskAccess.requireOwner(call.caller(), lookup.task(id));
        var removed = removed(() -> remover.remove(call.caller().actor(), id));
        if (removed == 0) {
            // Somebody else has just removed it.
            throw lookup.notFound(id);
        }
        return RouteResponse.ok(new TasksRemoved(removed, 0));
    }

    private RouteResponse removeMany(RouteRequest call) throws RejectedException, StoreFailure {
        var selection = selection(call);
        if (call.query(DRY_RUN).orElse(false)) {
            return RouteResponse.ok(new TasksRemoved(0, remover.count(selection)));
        }
        int limit = call.query(LIMIT).orElse((long) TaskRemover.MAX_BATCH).intValue();
        var removed = removed(() -> remover.remove(call.caller().actor(), selection, limit));
        return RouteResponse.ok(new TasksRemoved(removed, remover.count(selection)));
    }

    private Selection selection(RouteRequest call) throws RejectedException {
        var status =
                call.query(STATUS)
                        .orElseThrow(
                                () ->
                                        new RejectedException(
                                                Rejected.invalid("parameter.missing", "status")));
        var age = call.query(OLDER_THAN);
        return new Selection(
                status.equals(ENDED) ? EndedTasks.ALL_STATES : Set.of(status),
                age.map(seconds -> engine.now().minusSeconds(seconds)),
                owner(call.caller(), call.query(OWNER)),
                call.query(NAME));
    }

    /** Only an admin may remove tasks of others. */
    private static Optional<String> owner(Caller caller, Optional<String> given)
            throws RejectedException {
        Owner own = caller.owner();
        if (caller.isAdmin()) {
            return given;
        }
        if (given.isPresent() && !given.get().equals(own.name())) {
            throw new RejectedException(
                    Rejected.forbidden("owner.not_you")
                            .variant("removal")
                            .with("owner", given.get()));
        }
        return Optional.of(own.name());
    }

    private interface Action {
        TaskRemover.Removal run() throws StoreFailure, IOException;
    }

    private static int removed(Action action) throws RejectedException, StoreFailure {
        TaskRemover.Removal removal;
        try {
            removal = action.run();
        } catch (IOException failure) {
            throw FileFailure.rejection("tasks", failure);
        }
        if (!(removal.reply() instanceof EngineReply.Done)) {
            throw EngineClient.rejection(removal.reply());
        }
        return removal.count();
    }
}
