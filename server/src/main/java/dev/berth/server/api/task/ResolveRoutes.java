package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ShimProcess;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.Resolution;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.JsonFields;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.AttemptProcesses.SeenProcess;
import dev.berth.port.read.LeftoverProcesses.ProcessTableUnreadable;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskAccess;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskResolve;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Lets a person decide what became of a lost or stuck attempt. Berth looks for its processes first,
 * so that the decision cannot lead to a second running copy as far as Berth can see.
 */
public final class ResolveRoutes {

    private static final int MAX_NAMED = 5;

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "Decides what became of a lost or stuck attempt: ended, running or"
                                    + " requeue. ended and requeue are refused while processes of"
                                    + " the attempt are seen; force is for a stuck attempt, and if"
                                    + " the processes cannot be listed")
                    .withBody(TaskResolve.class)
                    .withResponse(200, TaskDetail.class)
                    .withErrors(400, 404, 409, 413, 422, 503, 507);

    private final EngineClient engine;
    private final TaskLookup lookup;
    private final TaskJson words;
    private final AttemptProcesses processes;

    public ResolveRoutes(
            EngineClient engine, TaskLookup lookup, TaskJson words, AttemptProcesses processes) {
        this.engine = engine;
        this.lookup = lookup;
        this.words = words;
        this.processes = processes;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(
                        PathPattern.of("/api/tasks/{id}/resolve", TaskLookup.ID),
                        AccessLevel.USER,
                        DOC,
                        this::resolve));
    }

    private RouteResponse resolve(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var fields = call.body().fields();
        fields.requireKnown(Set.of("as", "pid", "force"), Set.of());
        var order = Order.read(fields);
        requireMay(order, call.caller(), id);
        var attempt =
                lookup.find(id)
                        .latest()
                        .filter(one -> isLostOrStuck(one.phase()))
                        .orElseThrow(
                                () ->
                                        new RejectedException(
                                                Rejected.conflict("resolve.in_contact")
                                                        .with("task", id)));
        var resolution =
                order.as().equals("running") ? running(attempt, order) : over(attempt, order);
        var _ =
                engine.requestTask(
                        new EngineCommand.Resolve(
                                engine.now(),
                                call.caller().owner(),
                                attempt.id(),
                                resolution,
                                order.isForced()),
                        call.caller().via());
        return RouteResponse.ok(words.detail(lookup.whole(id)));
    }

    /**
     * A named process may be another user's, and a forced end hands a GPU on that may still be in
     * use.
     */
    private void requireMay(Order order, Caller caller, TaskId id)
            throws RejectedException, StoreFailure {
        TaskAccess.requireOwner(caller, lookup.task(id));
        if (!caller.isAdmin() && (order.pid().isPresent() || order.isForced())) {
            throw new RejectedException(
                    Rejected.forbidden("force.admin")
                            .with("field", order.pid().isPresent() ? "pid" : "force"));
        }
    }

    private static boolean isLostOrStuck(Phase phase) {
        return phase instanceof Phase.Lost || phase instanceof Phase.Stuck;
    }

    /** Refused while a process of the attempt is seen, or none can be looked for. */
    private Resolution over(Attempt attempt, Order order) throws RejectedException {
        boolean mayForce = attempt.phase() instanceof Phase.Stuck;
        try {
            var seen = processes.alive(attempt.id());
            if (!seen.isEmpty() && !(mayForce && order.isForced())) {
                throw new RejectedException(
                        Rejected.conflict("resolve.alive")
                                .variant(mayForce ? "stuck" : "lost")
                                .with("task", attempt.id().task())
                                .with("processes", describe(seen)));
            }
        } catch (ProcessTableUnreadable unreadable) {
            if (!order.isForced()) {
                throw new RejectedException(
                        Rejected.conflict("resolve.unseen").with("task", attempt.id().task()));
            }
        }
        return order.as().equals("ended") ? new Resolution.Ended() : new Resolution.Requeue();
    }

    private static String describe(List<SeenProcess> seen) {
        return seen.stream()
                .limit(MAX_NAMED)
                .map(one -> one.program() + " (pid " + one.process().key().pid() + ")")
                .collect(Collectors.joining(", "));
    }

    private Resolution running(Attempt attempt, Order order) throws RejectedException {
        try {
            return new Resolution.Running(process(attempt.id(), order));
        } catch (ProcessTableUnreadable unreadable) {
            throw new RejectedException(
                    Rejected.conflict("resolve.unseen").with("task", attempt.id().task()));
        }
    }

    private ShimProcess process(AttemptId attempt, Order order)
            throws RejectedException, ProcessTableUnreadable {
        if (order.pid().isPresent()) {
            return processes
                    .named(order.pid().getAsInt())
                    .map(SeenProcess::process)
                    .orElseThrow(
                            () ->
                                    new RejectedException(
                                            Rejected.invalid("resolve.no_process", "pid")
                                                    .with("pid", order.pid().getAsInt())));
        }
        return processes.alive(attempt).stream()
                .map(SeenProcess::process)
                .findFirst()
                .orElseThrow(
                        () ->
                                new RejectedException(
                                        Rejected.conflict("resolve.none_found")
                                                .with("task", attempt.task())));
    }

    /**
     * @param pid of the process that the attempt runs as; only with running
     */
    private record Order(String as, OptionalInt pid, boolean isForced) {

        private static final List<String> WORDS = List.of("ended", "running", "requeue");
        private static final int MAX_PID = 1 << 22;

        static Order read(JsonFields fields) throws RejectedException {
            var as = fields.requiredText("as");
            if (!WORDS.contains(as)) {
                throw new RejectedException(
                        Rejected.invalid("as.unknown", "as")
                                .with("known", String.join(", ", WORDS)));
            }
            var pid = fields.wholeNumber("pid", 1, MAX_PID);
            if (pid.isPresent() && !as.equals("running")) {
                throw new RejectedException(Rejected.invalid("resolve.pid", "pid"));
            }
            return new Order(as, pid, fields.flag("force"));
        }
    }
}
