package dev.berth.server.api;

import dev.berth.core.access.Token;
import dev.berth.core.access.Via;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.task.Owner;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineReply;
import dev.berth.engine.EngineState;
import dev.berth.engine.Models;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The routes' access to the engine: reads its published state, and sends it requests and waits for
 * the reply. A reply that does not grant the request becomes a rejection.
 *
 * @param forecasts the expected starts and ends
 * @param beforeSubmit is called with the owner of new tasks before they are added
 */
public record EngineClient(EngineLoop loop, ForecastCache forecasts, Consumer<Owner> beforeSubmit) {

    /** Longer than any commit takes that still completes. */
    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(30);

    /** Nothing is done before a submit. */
    public EngineClient(EngineLoop loop, ForecastCache forecasts) {
        this(loop, forecasts, _ -> {});
    }

    public Instant now() {
        return loop.now();
    }

    public EngineState state() {
        return loop.state();
    }

    public Engine engine() {
        return loop.engine();
    }

    /** All models that have workers. */
    public Models models() {
        return engine().models();
    }

    public Planner planner() {
        return engine().planner();
    }

    /** A snapshot of the committed state. */
    public Snapshot snapshot() {
        return engine().snapshot(now());
    }

    /** Sends a request that concerns a task and waits until its result is durable. */
    public EngineReply.TaskAccepted requestTask(EngineCommand.Request request, Via via)
            throws RejectedException {
        return switch (request(request, via)) {
            case EngineReply.TaskAccepted granted -> granted;
            case EngineReply other -> throw rejection(other);
        };
    }

    /** The same for a request that concerns a token. */
    public Token requestToken(EngineCommand.Request request, Via via) throws RejectedException {
        return switch (request(request, via)) {
            case EngineReply.TokenKept(var token) -> token;
            case EngineReply other -> throw rejection(other);
        };
    }

    /** The same for a request that starts or stops the scheduler. */
    public EngineReply.SchedulerSwitched requestScheduler(
            EngineCommand.SwitchScheduler request, Via via) throws RejectedException {
        return switch (request(request, via)) {
            case EngineReply.SchedulerSwitched scheduled -> scheduled;
            case EngineReply other -> throw rejection(other);
        };
    }

    /** The same for a request that concerns a reservation. */
    public Reservation requestReservation(EngineCommand.Request request, Via via)
            throws RejectedException {
        return switch (request(request, via)) {
            case EngineReply.ReservationKept(var reservation) -> reservation;
            case EngineReply other -> throw rejection(other);
        };
    }

    /** The same for a request that concerns a file run. */
    public EngineReply.FileRunChanged requestRun(EngineCommand.Request request, Via via)
            throws RejectedException {
        return switch (request(request, via)) {
            case EngineReply.FileRunChanged ran -> ran;
            case EngineReply other -> throw rejection(other);
        };
    }

    /** The rejection for a reply that does not grant the request. */
    public static RejectedException rejection(EngineReply reply) {
        return switch (reply) {
            case EngineReply.Refused(var why) -> new RejectedException(why);
            case EngineReply.Unavailable(var kind) -> new RejectedException(unavailable(kind));
            case EngineReply.TaskAccepted _,
                    EngineReply.TokenKept _,
                    EngineReply.CancelPending _,
                    EngineReply.Busy _,
                    EngineReply.SchedulerSwitched _,
                    EngineReply.FileRunChanged _,
                    EngineReply.ReservationKept _,
                    EngineReply.Done _ ->
                    throw new IllegalStateException("not a reply to this request: " + reply);
        };
    }

    /**
     * The engine's reply, once its result is durable.
     *
     * @param via how the caller was authenticated
     */
    public EngineReply request(EngineCommand.Request request, Via via) throws RejectedException {
        owners(request).forEach(beforeSubmit);
        try {
            var command = new EngineCommand.Authenticated(request, via);
            return loop.ask(command).get(REPLY_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException _) {
            throw late();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw late();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the engine failed", e);
        }
    }

    /** The owners of the tasks that the request adds. */
    private static Set<Owner> owners(EngineCommand.Request request) {
        if (request instanceof EngineCommand.Submit submit) {
            return submit.entries().stream()
                    .map(EngineCommand.NewTask::owner)
                    .collect(Collectors.toSet());
        }
        return request instanceof EngineCommand.StartFileRun start
                ? Set.of(start.actor())
                : Set.of();
    }

    private static RejectedException late() {
        return new RejectedException(later(503, "engine.late"));
    }

    private static RouteResponse unavailable(StoreFailure.Kind kind) {
        return switch (kind) {
            case FULL -> later(507, "store.full");
            case UNAVAILABLE -> later(503, "store.unavailable");
            case DAMAGED -> RouteResponse.problem(500, "store.damaged");
            case REMOVED -> later(503, "store.removed");
            case FENCED -> later(503, "store.fenced");
        };
    }

    private static RouteResponse later(int status, String code) {
        return RouteResponse.problem(status, code).with("Retry-After", "1");
    }
}
