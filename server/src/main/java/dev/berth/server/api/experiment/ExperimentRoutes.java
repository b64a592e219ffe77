package dev.berth.server.api.experiment;

import dev.berth.core.Rejected;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.ResponseBody;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.http.Sentences;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.queue.QueueJson;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.server.api.task.IdempotencyKeys;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.server.api.task.TaskSubmission;
import dev.berth.wire.ExperimentDone;
import dev.berth.wire.ExperimentRefused;
import dev.berth.wire.Problem;
import dev.berth.wire.QueueStatus;
import dev.berth.wire.Reason;
import dev.berth.wire.StartRequest;
import dev.berth.wire.TaskCreate;
import dev.berth.wire.TaskDetail;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Drafts under the routes and response format of the older experiment API. */
public final class ExperimentRoutes {

    private static final int MAX_SHOWN = 1000;
    private static final String QUEUED = "实验已加入队列";
    private static final String STARTED = "实验已启动";

    private static final RouteDoc CREATE_DOC =
            RouteDoc.of("Creates a pending task, which is queued or started later")
                    .withHeaders(IdempotencyKeys.HEADER)
                    .withBody(TaskCreate.class)
                    .withResponse(201, TaskDetail.class)
                    .withResponse(200, TaskDetail.class)
                    .withErrors(400, 403, 413, 422, 429, 503, 507);

    private static final RouteDoc QUEUE_DOC =
            refusing(
                    RouteDoc.of("Queues a pending task").withResponse(200, ExperimentDone.class),
                    400,
                    404,
                    409,
                    422,
                    503,
                    507);

    private static final RouteDoc START_DOC =
            refusing(
                    RouteDoc.of(
                                    "Starts a pending task now, before all waiting tasks; refused"
                                            + " while its GPUs are busy, unless it is forced")
                            .withBody(StartRequest.class)
                            .withResponse(200, ExperimentDone.class),
                    400,
                    404,
                    409,
                    422,
                    503,
                    507);

    private static final RouteDoc STATUS_DOC =
            RouteDoc.of("The waiting tasks by devices").withResponse(200, QueueStatus.class);
    private final EngineClient engine;
    private final TaskLookup lookup;
    private final TaskRequest form;
    private final TaskSubmission intake;

    public ExperimentRoutes(
            EngineClient engine, TaskLookup lookup, TaskRequest form, TaskSubmission intake) {
        this.engine = engine;
        this.lookup = lookup;
        this.form = form;
        this.intake = intake;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(
                        PathPattern.of("/experiments/"),
                        AccessLevel.USER,
                        CREATE_DOC,
                        this::create),
                Route.post(
                        PathPattern.of("/experiments/{id}/queue/", TaskLookup.ID),
                        AccessLevel.USER,
                        QUEUE_DOC,
                        call -> respond(() -> enqueue(call))),
                Route.post(
                        PathPattern.of("/experiments/{id}/start/", TaskLookup.ID),
                        AccessLevel.USER,
                        START_DOC,
                        call -> respond(() -> start(call))),
                Route.get(
                        PathPattern.of("/experiments/queue-status/"),
                        AccessLevel.SERVED,
                        STATUS_DOC,
                        this::status));
    }

    private static RouteDoc refusing(RouteDoc doc, int... statuses) {
        var documented = doc;
        for (int status : statuses) {
            documented = documented.withResponse(status, ExperimentRefused.class);
        }
        return documented;
    }

    private RouteResponse create(RouteRequest call) throws RejectedException, StoreFailure {
        var body = call.body();
        var entry = form.read(body.fields(), call.caller());
        if (body.fields().has("draft") && !entry.isDraft()) {
            throw RejectedException.invalid("draft.always", "draft");
        }
        var draft = new EngineCommand.NewTask(entry.owner(), entry.spec(), true);
        // The same body creates something else at /api/tasks, so it counts as another request.
        return intake.submit(call, draft, "experiment " + body.hash());
    }

    private RouteResponse enqueue(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        call.body().fields().requireKnown(Set.of(), Set.of());
        // The engine holds only live tasks; the store decides whether the task ever existed.
        var _ = lookup.changeable(id, call.caller());
        var _ =
                engine.requestTask(
                        new EngineCommand.Enqueue(engine.now(), call.caller().owner(), id),
                        call.caller().via());
        return RouteResponse.ok(
                new ExperimentDone(
                        true, QUEUED, new ExperimentDone.Experiment(id.value(), "queued")));
    }

    private RouteResponse start(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var fields = call.body().fields();
        fields.requireKnown(Set.of("force_start"), Set.of());
        boolean isForced = fields.flag("force_start");
        var _ = lookup.changeable(id, call.caller());
        if (isForced && !call.caller().isAdmin()) {
            // It ignores what keeps GPUs free for others.
            throw new RejectedException(
                    Rejected.forbidden("force.admin").with("field", "force_start"));
        }
        var reply =
                engine.request(
                        new EngineCommand.StartDraft(
                                engine.now(), call.caller().owner(), id, isForced),
                        call.caller().via());
        return switch (reply) {
            case EngineReply.TaskAccepted _ ->
                    RouteResponse.ok(
                            new ExperimentDone(
                                    true,
                                    STARTED,
                                    new ExperimentDone.Experiment(id.value(), "running")));
            case EngineReply.Busy(var reasons) ->
                    busy(id.value(), reasons.stream().map(WaitReasonJson::of).toList());
            case EngineReply other -> throw EngineClient.rejection(other);
        };
    }

    private static RouteResponse busy(long id, List<Reason> reasons) {
        var why =
                reasons.stream()
                        .flatMap(
                                reason -> Stream.concat(Stream.of(reason), reason.parts().stream()))
                        .map(Reason::detail)
                        .collect(Collectors.joining(" "));
        var problem =
                new Problem(
                        Sentences.problem(
                                "start.busy",
                                null,
                                Map.of("task", Long.toString(id), "reasons", why)),
                        "start.busy",
                        null,
                        Map.of("task", Long.toString(id)));
        return RouteResponse.of(409, refused(problem, reasons));
    }

    /** Converts a rejection to the experiment API's format. */
    private static RouteResponse respond(Operation operation)
            throws RejectedException, StoreFailure {
        try {
            return operation.answer();
        } catch (RejectedException refused) {
            var answer = refused.response();
            return answer.content() instanceof ResponseBody.Json(Problem problem)
                    ? new RouteResponse(
                            answer.status(),
                            answer.headers(),
                            new ResponseBody.Json(refused(problem, List.of())))
                    : answer;
        }
    }

    @FunctionalInterface
    private interface Operation {
        RouteResponse answer() throws RejectedException, StoreFailure;
    }

    private static ExperimentRefused refused(Problem problem, List<Reason> reasons) {
        return new ExperimentRefused(false, problem.detail(), problem, reasons);
    }

    private RouteResponse status(RouteRequest call) {
        var snapshot = engine.snapshot();
        var groups = new LinkedHashMap<String, QueueStatus.Group>();
        for (var queue : snapshot.waiting().queues()) {
            var shown = new ArrayList<QueueStatus.Waiting>();
            snapshot.waiting()
                    .inOrder(queue.getKey(), snapshot::usedGpuSeconds)
                    .limit(MAX_SHOWN)
                    .forEach(task -> shown.add(waiting(task, snapshot, shown.size())));
            groups.put(
                    queue.getKey().name(),
                    new QueueStatus.Group(WaitingTasks.size(queue.getValue()), shown));
        }
        boolean running = engine.state().durable().scheduler().isRunning();
        var mine = snapshot.waiting().countsByPrincipal().count(call.caller().owner().principal());
        return RouteResponse.ok(new QueueStatus(running, mine, groups));
    }

    private static QueueStatus.Waiting waiting(Task task, Snapshot snapshot, int position) {
        return new QueueStatus.Waiting(
                task.id().value(),
                task.spec().name(),
                task.state().apiName(),
                IsoTime.format(task.createdAt()),
                QueueJson.waitSeconds(task, snapshot.at()),
                position);
    }
}
