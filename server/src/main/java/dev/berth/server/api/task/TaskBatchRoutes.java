package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.wire.TaskCreate;
import dev.berth.wire.TasksCreated;

import java.util.List;
import java.util.stream.LongStream;

/** Submits many tasks at once. */
public final class TaskBatchRoutes {

    private static final int MAX_TASKS = 1000;

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "Submits 1 to 1000 tasks, all or none; the ids are in the same order. A"
                                    + " script with #SBATCH --array makes several. 200 if this"
                                    + " Idempotency-Key was already used for the same request")
                    .withHeaders(IdempotencyKeys.HEADER)
                    .withListBody(TaskCreate.class)
                    .withResponse(201, TasksCreated.class)
                    .withResponse(200, TasksCreated.class)
                    .withErrors(400, 403, 413, 422, 429, 503, 507);
    private final TaskSubmission intake;
    private final TaskRequest form;

    public TaskBatchRoutes(TaskSubmission intake, TaskRequest form) {
        this.intake = intake;
        this.form = form;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(
                        PathPattern.of("/api/tasks/batch"), AccessLevel.USER, DOC, this::submit));
    }

    private RouteResponse submit(RouteRequest call) throws RejectedException {
        var body = call.bodyList();
        requireSize(body.items().size());
        var entries = form.readAll(body.items(), call.caller());
        int count = entries.size();
        requireSize(count);
        var granted = intake.submitBatch(call, entries, body.hash());
        long first = granted.task().value();
        var ids = LongStream.range(first, first + count).boxed().toList();
        return RouteResponse.of(granted.isRepeated() ? 200 : 201, new TasksCreated(ids));
    }

    private static void requireSize(int count) throws RejectedException {
        if (count < 1 || count > MAX_TASKS) {
            throw new RejectedException(
                    Rejected.invalid("batch.size", "").with("max", MAX_TASKS).with("count", count));
        }
    }
}
