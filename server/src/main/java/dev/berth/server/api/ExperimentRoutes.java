package dev.berth.server.api;

import dev.berth.core.line.Waiting;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.Task;
import dev.berth.engine.Command;
import dev.berth.engine.Reply;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Content;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
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

/** Drafts by the name and in the manner of those who call them experiments. */
final class ExperimentRoutes {

    private static final int MOST_SHOWN = 1000;
    private static final String QUEUED = "实验已加入队列";
    private static final String STARTED = "实验已启动";

    private static final Doc CREATE_DOC =
            Doc.of("Keeps a task as pending, until it is queued or started")
                    .heeding(SubmitKeys.HEADER)
                    .taking(TaskCreate.class)
                    .giving(201, TaskDetail.class)
                    .giving(200, TaskDetail.class)
                    .refusing(400, 413, 422, 429, 503, 507);

    private static final Doc QUEUE_DOC =
            refusing(
                    Doc.of("A pending task joins its line").giving(200, ExperimentDone.class),
                    400,
                    404,
                    409,
                    422,
                    503,
                    507);

    private static final Doc START_DOC =
            refusing(
                    Doc.of(
                                    "A pending task starts now, whoever waits; refused while its"
                                            + " cards are busy, unless it is forced")
                            .taking(StartRequest.class)
                            .giving(200, ExperimentDone.class),
                    400,
                    404,
                    409,
                    422,
                    503,
                    507);

    private static final Doc STATUS_DOC =
            Doc.of("The waiting tasks by devices").giving(200, QueueStatus.class);

    private final Desk desk;
    private final TaskForm form;

    ExperimentRoutes(Desk desk, TaskForm form) {
        this.desk = desk;
        this.form = form;
    }

    List<Route> routes() {
        return List.of(
                Route.post(
                        PathPattern.of("/experiments/"), Access.SERVED, CREATE_DOC, this::create),
                Route.post(
                        PathPattern.of("/experiments/{id}/queue/", TaskRoutes.ID),
                        Access.SERVED,
                        QUEUE_DOC,
                        call -> told(() -> enqueue(call))),
                Route.post(
                        PathPattern.of("/experiments/{id}/start/", TaskRoutes.ID),
                        Access.SERVED,
                        START_DOC,
                        call -> told(() -> start(call))),
                Route.get(
                        PathPattern.of("/experiments/queue-status/"),
                        Access.SERVED,
                        STATUS_DOC,
                        this::status));
    }

    private static Doc refusing(Doc doc, int... statuses) {
        var more = doc;
        for (int status : statuses) {
            more = more.giving(status, ExperimentRefused.class);
        }
        return more;
    }

    private Answer create(Call call) throws Refused, StoreFailure {
        var body = call.body();
        var entry = form.read(body.fields(), call.caller());
        if (body.fields().has("draft") && !entry.isDraft()) {
            throw Refused.invalid(
                    "draft.always",
                    "draft",
                    "An experiment is always a draft first. Leave draft out, or use"
                            + " POST /api/tasks.");
        }
        var draft = new Command.Entry(entry.owner(), entry.spec(), true);
        // The same body makes something else at /api/tasks, so it is another request.
        return new Intake(desk).one(call, draft, "experiment " + body.hash());
    }

    private Answer enqueue(Call call) throws Refused, StoreFailure {
        var id = TaskRoutes.id(call);
        call.body().fields().expect(Set.of(), Set.of());
        // The engine knows live tasks only: whether there ever was such a task, the store must say.
        var _ = desk.find(id);
        var _ = desk.grant(new Command.Enqueue(desk.engine().now(), call.caller().owner(), id));
        return Answer.ok(
                new ExperimentDone(
                        true, QUEUED, new ExperimentDone.Experiment(id.value(), "queued")));
    }

    private Answer start(Call call) throws Refused, StoreFailure {
        var id = TaskRoutes.id(call);
        var fields = call.body().fields();
        fields.expect(Set.of("force_start"), Set.of());
        boolean isForced = fields.flag("force_start");
        var _ = desk.find(id);
        var reply =
                desk.reply(
                        new Command.Start(
                                desk.engine().now(), call.caller().owner(), id, isForced));
        return switch (reply) {
            case Reply.Granted _ ->
                    Answer.ok(
                            new ExperimentDone(
                                    true,
                                    STARTED,
                                    new ExperimentDone.Experiment(id.value(), "running")));
            case Reply.Busy(var reasons) ->
                    busy(id.value(), reasons.stream().map(ReasonWords::of).toList());
            case Reply other -> throw Desk.refused(other);
        };
    }

    private static Answer busy(long id, List<Reason> reasons) {
        var why =
                reasons.stream()
                        .flatMap(
                                reason -> Stream.concat(Stream.of(reason), reason.parts().stream()))
                        .map(Reason::detail)
                        .collect(Collectors.joining(" "));
        var problem =
                new Problem(
                        "Task " + id + " cannot start now. " + why,
                        "start.busy",
                        null,
                        Map.of("task", Long.toString(id)));
        return Answer.of(409, refused(problem, reasons));
    }

    /** What is done, or what is wrong in the words that go with it. */
    private static Answer told(Doing doing) throws Refused, StoreFailure {
        try {
            return doing.answer();
        } catch (Refused refused) {
            var answer = refused.answer();
            return answer.content() instanceof Content.Json(Problem problem)
                    ? new Answer(
                            answer.status(),
                            answer.headers(),
                            new Content.Json(refused(problem, List.of())))
                    : answer;
        }
    }

    @FunctionalInterface
    private interface Doing {
        Answer answer() throws Refused, StoreFailure;
    }

    private static ExperimentRefused refused(Problem problem, List<Reason> reasons) {
        return new ExperimentRefused(
                false,
                problem.detail(),
                problem.detail(),
                problem.code(),
                problem.field(),
                problem.params(),
                reasons);
    }

    private Answer status(Call call) {
        var snapshot = desk.snapshot();
        var groups = new LinkedHashMap<String, QueueStatus.Group>();
        for (var line : snapshot.waiting().lines()) {
            var shown = new ArrayList<QueueStatus.Waiting>();
            snapshot.waiting()
                    .inOrder(line.getKey(), snapshot::used)
                    .limit(MOST_SHOWN)
                    .forEach(task -> shown.add(waiting(task, snapshot, shown.size())));
            groups.put(
                    line.getKey().name(),
                    new QueueStatus.Group(Waiting.size(line.getValue()), shown));
        }
        boolean running = desk.engine().state().books().scheduler().isRunning();
        var mine = snapshot.waiting().counts().of(call.caller().owner().principal());
        return Answer.ok(new QueueStatus(running, mine, groups));
    }

    private static QueueStatus.Waiting waiting(Task task, Snapshot snapshot, int position) {
        return new QueueStatus.Waiting(
                task.id().value(),
                task.spec().name(),
                task.state().word(),
                Times.text(task.createdAt()),
                new QueueWords(snapshot).waitSeconds(task),
                position);
    }
}
