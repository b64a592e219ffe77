package dev.berth.server.api;

import dev.berth.core.task.Source;
import dev.berth.core.task.TaskId;
import dev.berth.engine.Command;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries.Filter;
import dev.berth.engine.port.TaskQueries.Page;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.TaskAgain;
import dev.berth.wire.TaskCreate;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskSummary;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;

/** Tasks: taken in, shown, ended, repeated, waited for. */
final class TaskRoutes {

    static final Param<Long> ID = Param.number("id", "the task", 1, Long.MAX_VALUE);

    private static final Param<String> STATUS =
            Param.word(
                    "status",
                    "only tasks in this state",
                    List.of("pending", "queued", "running", "completed", "failed", "cancelled"));
    private static final Param<String> SOURCE =
            Param.word(
                    "source",
                    "only tasks that came in this way",
                    Arrays.stream(Source.values()).map(TaskRoutes::word).toList());
    private static final Param<Long> LIMIT =
            Param.number("limit", "how many at most; all unless stated", 1, 1000);
    private static final Param<Long> BEFORE =
            Param.number("before", "only ids below this one", 1, Long.MAX_VALUE);
    private static final Param<Long> SECONDS =
            Param.number("seconds", "how long to wait at most; 30 unless stated", 0, 60);
    private static final Param<String> KEY = SubmitKeys.HEADER;

    private final Desk desk;
    private final Finishes finishes;
    private final TaskForm form;
    private final TaskWords words;
    private final Intake intake;

    TaskRoutes(Desk desk, Finishes finishes, TaskForm form) {
        this.desk = desk;
        this.finishes = finishes;
        this.form = form;
        this.words = new TaskWords(desk);
        this.intake = new Intake(desk);
    }

    List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/tasks"), Access.SERVED, LIST_DOC, this::list),
                Route.post(PathPattern.of("/api/tasks"), Access.SERVED, SUBMIT_DOC, this::submit),
                Route.get(
                        PathPattern.of("/api/tasks/{id}", ID), Access.SERVED, SHOW_DOC, this::show),
                Route.post(
                        PathPattern.of("/api/tasks/{id}/cancel", ID),
                        Access.SERVED,
                        CANCEL_DOC,
                        this::cancel),
                Route.post(
                        PathPattern.of("/api/tasks/{id}/clone", ID),
                        Access.SERVED,
                        CLONE_DOC,
                        this::repeat),
                Route.get(
                        PathPattern.of("/api/tasks/{id}/wait", ID),
                        Access.SERVED,
                        WAIT_DOC,
                        this::await));
    }

    private static final Doc LIST_DOC =
            Doc.of(
                            "The tasks, newest first; X-Total-Count says how many there are, Link"
                                    + " where the next page is")
                    .asking(STATUS, SOURCE, LIMIT, BEFORE)
                    .givingMany(200, TaskSummary.class)
                    .refusing(422);

    private static final Doc SUBMIT_DOC =
            Doc.of(
                            "Takes a task in. The answer shows it as it was taken in; 200 if"
                                    + " this Idempotency-Key was already used for the same request")
                    .heeding(KEY)
                    .taking(TaskCreate.class)
                    .giving(201, TaskDetail.class)
                    .giving(200, TaskDetail.class)
                    .refusing(400, 413, 422, 429, 503, 507);

    private static final Doc SHOW_DOC =
            Doc.of("One task, whole; env holds the names only, position is counted from 0")
                    .giving(200, TaskDetail.class)
                    .refusing(404, 422);

    private static final Doc CANCEL_DOC =
            Doc.of(
                            "Ends a task. A queued one is cancelled at once, a running one when"
                                    + " nothing of it is left")
                    .giving(200, TaskDetail.class)
                    .refusing(400, 404, 409, 422, 503, 507);

    private static final Doc CLONE_DOC =
            Doc.of("Takes the same task in once more, with what is to be different this" + " time")
                    .heeding(KEY)
                    .taking(TaskAgain.class)
                    .giving(201, TaskDetail.class)
                    .giving(200, TaskDetail.class)
                    .refusing(400, 404, 422, 429, 503, 507);

    private static final Doc WAIT_DOC =
            Doc.of("Answers when the task has ended, or after the time given")
                    .asking(SECONDS)
                    .giving(200, TaskDetail.class)
                    .refusing(404, 422);

    /** Any number may be asked for; one that no task can have is merely not there. */
    static TaskId id(Call call) throws Refused {
        return new TaskId(call.path(ID));
    }

    private Answer list(Call call) throws Refused, StoreFailure {
        var filter = new Filter(call.query(STATUS), call.query(SOURCE).map(TaskRoutes::source));
        var limit =
                call.query(LIMIT)
                        .map(value -> OptionalInt.of(value.intValue()))
                        .orElse(OptionalInt.empty());
        var page = new Page(limit, call.query(BEFORE).map(TaskId::new));
        var found = desk.queries().list(filter, page);
        var answer =
                Answer.ok(found.stream().map(words::summary).toList())
                        .with("X-Total-Count", Long.toString(desk.queries().count(filter)));
        if (limit.isEmpty() || found.size() < limit.getAsInt()) {
            return answer;
        }
        return answer.with("Link", next(call, found.getLast().task().id()));
    }

    private static String next(Call call, TaskId last) throws Refused {
        var query =
                new StringBuilder(
                        "/api/tasks?limit=" + call.query(LIMIT).orElseThrow() + "&before=" + last);
        call.query(STATUS).ifPresent(status -> query.append("&status=").append(status));
        call.query(SOURCE).ifPresent(source -> query.append("&source=").append(source));
        return "<" + query + ">; rel=\"next\"";
    }

    private Answer submit(Call call) throws Refused, StoreFailure {
        var body = call.body();
        var entry = form.read(body.fields(), call.caller());
        return intake.one(call, entry, body.hash());
    }

    private Answer repeat(Call call) throws Refused, StoreFailure {
        var id = id(call);
        var body = call.body();
        var changes = body.fields();
        TaskForm.expectAgain(changes);
        var spec = form.again(changes, desk.find(id).task());
        var entry = new Command.Entry(call.caller().owner(), spec, false);
        return intake.one(call, entry, body.hash());
    }

    private Answer show(Call call) throws Refused, StoreFailure {
        return Answer.ok(words.detail(desk.find(id(call))));
    }

    private Answer cancel(Call call) throws Refused, StoreFailure {
        var id = id(call);
        call.body().fields().expect(Set.of(), Set.of());
        // The engine knows live tasks only: whether there ever was such a task, the store must say.
        var _ = desk.find(id);
        var _ = desk.grant(new Command.Cancel(desk.engine().now(), call.caller().owner(), id));
        return Answer.ok(words.detail(desk.find(id)));
    }

    private Answer await(Call call) throws Refused, StoreFailure {
        var id = id(call);
        var seconds = call.query(SECONDS).orElse(30L);
        var found = desk.find(id);
        if (!found.task().state().isFinal()) {
            finishes.await(id, Duration.ofSeconds(seconds));
            found = desk.find(id);
        }
        return Answer.ok(words.detail(found));
    }

    private static String word(Source source) {
        return source.name().toLowerCase(Locale.ROOT);
    }

    private static Source source(String word) {
        return Source.valueOf(word.toUpperCase(Locale.ROOT));
    }
}
