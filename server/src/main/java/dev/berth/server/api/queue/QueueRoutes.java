package dev.berth.server.api.queue;

import dev.berth.core.predict.Learned;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
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
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.Queue;
import dev.berth.wire.QueuePosition;
import dev.berth.wire.QueueTask;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Shows the queued tasks in the order in which they start. */
public final class QueueRoutes {

    private static final Param<Long> TASKS =
            Param.number(
                    "limit", "the maximum number of tasks of each queue; 100 if unset", 1, 1000);
    private static final Param<Long> FIRST =
            Param.number("limit", "the maximum number; 10 if unset", 1, 1000);

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of("All waiting tasks by queue, and why no task starts, if so")
                    .withQuery(TASKS)
                    .withResponse(200, Queue.class)
                    .withErrors(422);

    private static final RouteDoc PEEK_DOC =
            RouteDoc.of("The first tasks of all queues, in scheduling order; nothing changes")
                    .withQuery(FIRST)
                    .withListResponse(200, QueueTask.class)
                    .withErrors(422);

    private static final RouteDoc POSITION_DOC =
            RouteDoc.of("The number of tasks before a task in its queue; null if it does not wait")
                    .withResponse(200, QueuePosition.class)
                    .withErrors(404, 422);
    private final EngineClient engine;
    private final TaskLookup lookup;

    public QueueRoutes(EngineClient engine, TaskLookup lookup) {
        this.engine = engine;
        this.lookup = lookup;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/queue"), AccessLevel.SERVED, SHOW_DOC, this::show),
                Route.get(
                        PathPattern.of("/api/queue/peek"),
                        AccessLevel.SERVED,
                        PEEK_DOC,
                        this::peek),
                Route.get(
                        PathPattern.of("/api/queue/position/{id}", TaskLookup.ID),
                        AccessLevel.SERVED,
                        POSITION_DOC,
                        this::position));
    }

    private RouteResponse show(RouteRequest call) throws RejectedException {
        int most = call.query(TASKS).orElse(100L).intValue();
        var state = engine.state();
        var snapshot = engine.snapshot();
        var words = new QueueJson(snapshot, engine.forecasts().recent(), learned());
        var waits = engine.engine().waits(snapshot.at());
        var handed =
                snapshot.cluster().isEmpty()
                        ? List.<Task>of()
                        : state.tasks()
                                .values()
                                .filter(task -> task.state() instanceof TaskState.Handed)
                                .toList();
        var inCluster = QueueJson.inCluster(words, handed, most);
        var lines = new ArrayList<>(words.queues(most));
        inCluster.ifPresent(lines::add);
        var priorities = QueueJson.priorities(snapshot.waiting());
        inCluster.ifPresent(
                line ->
                        line.priorities()
                                .forEach(
                                        (name, count) ->
                                                priorities.merge(name, count, Integer::sum)));
        var longest =
                Stream.concat(waits.longest().stream(), handed.stream())
                        .min(Comparator.comparing(Task::waitingSince));
        int queued = state.waiting().size() + handed.size();
        int pending = state.drafts().total();
        return RouteResponse.ok(
                new Queue(
                        queued,
                        state.running(),
                        pending,
                        state.durable().scheduler().isRunning(),
                        snapshot.starts().pause().map(WaitReasonJson::of).orElse(null),
                        longest.map(one -> QueueJson.waitSeconds(one, snapshot.at())).orElse(null),
                        longest.map(one -> one.id().value()).orElse(null),
                        waits.limit().toSeconds(),
                        waits.overLimit(),
                        snapshot.waiting().order().configName(),
                        engine.planner().placement().configName(),
                        priorities,
                        lines));
    }

    private RouteResponse peek(RouteRequest call) throws RejectedException {
        int most = call.query(FIRST).orElse(10L).intValue();
        var queue = new QueueJson(engine.snapshot(), engine.forecasts().recent(), learned());
        return RouteResponse.ok(queue.peek(most));
    }

    private RouteResponse position(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var task = lookup.task(id);
        var snapshot = engine.snapshot();
        var position = snapshot.waiting().position(task, snapshot::usedGpuSeconds);
        return RouteResponse.ok(
                position.isPresent()
                        ? new QueuePosition(
                                id.value(), QueueId.of(task).name(), position.getAsInt())
                        : new QueuePosition(id.value(), null, null));
    }

    private Learned learned() {
        return engine.state().sinceStart().learned();
    }
}
