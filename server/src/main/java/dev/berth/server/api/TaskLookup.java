package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.TaskRecord;
import dev.berth.port.read.TaskQueries.WholeTask;

/** Finds the task that a request names, and checks that the caller may see or change it. */
public record TaskLookup(
        EngineClient engine, TaskQueries queries, TaskAccess access, LogReads reads) {

    public TaskLookup(EngineClient engine, TaskQueries queries, TaskAccess access) {
        this(engine, queries, access, new LogReads(engine.loop()));
    }

    public static final Param<Long> ID = Param.number("id", "the task", 1, Long.MAX_VALUE);

    /** Any number is valid; an id that no task has is merely not found. */
    public static TaskId id(RouteRequest call) throws RejectedException {
        return new TaskId(call.path(ID));
    }

    /**
     * The engine's memory saves a query, unless the task has ended. Its script may lack the text.
     */
    public Task task(TaskId id) throws RejectedException, StoreFailure {
        var live = engine.state().tasks().get(id);
        return live.isPresent() ? live.get() : find(id).task();
    }

    /** A task of which the caller sees more than the basic facts. */
    public Task readable(TaskId id, Caller reader) throws RejectedException, StoreFailure {
        var task = task(id);
        access.requireLogs(reader, task);
        return task;
    }

    /** A task that the caller may change, with the text of its script. */
    public Task changeable(TaskId id, Caller caller) throws RejectedException, StoreFailure {
        var task = find(id).task();
        TaskAccess.requireOwner(caller, task);
        return task;
    }

    /** A task whose log the caller reads: recorded if it is another user's. */
    public Task ofLog(TaskId id, Caller reader) throws RejectedException, StoreFailure {
        var task = readable(id, reader);
        reads.record(reader.actor(), task);
        return task;
    }

    /** With the text of its script. */
    public TaskRecord find(TaskId id) throws RejectedException, StoreFailure {
        var found = queries.find(id);
        if (found.isEmpty()) {
            throw notFound(id);
        }
        return found.get();
    }

    /** With its attempts and its result. */
    public WholeTask whole(TaskId id) throws RejectedException, StoreFailure {
        var found = queries.findWhole(id);
        if (found.isEmpty()) {
            throw notFound(id);
        }
        return found.get();
    }

    /** The response says who removed the task, if it existed. */
    public RejectedException notFound(TaskId id) throws StoreFailure {
        var why = Rejected.notFound("task.unknown").with("task", id);
        return new RejectedException(
                queries.removal(id)
                        .map(
                                event ->
                                        why.variant("removed")
                                                .with("at", IsoTime.format(event.at()))
                                                .with("by", event.actor().name()))
                        .orElse(why));
    }
}
