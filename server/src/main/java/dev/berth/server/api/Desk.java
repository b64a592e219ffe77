package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.Command;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.Reply;
import dev.berth.engine.port.Consumptions;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.TaskQueries.TaskRecord;
import dev.berth.server.history.Charts;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Refused;
import dev.berth.server.lane.Lanes;
import dev.berth.server.lane.Remains;
import dev.berth.server.message.Messages;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What the routes work with: the engine to ask, the store, the logs, what running attempts make of
 * their cards, and the files of the lanes to read.
 *
 * @param remains of abnormal ends
 * @param charts of what cards and tasks did
 * @param messages to those who want to know
 */
public record Desk(
        EngineLoop engine,
        TaskQueries queries,
        TaskLogs logs,
        Consumptions consumptions,
        Lanes lanes,
        Remains remains,
        Charts charts,
        Messages messages) {

    /** Longer than any commit takes that still comes. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Puts a request to the engine and waits until it is durable. */
    Reply.Granted grant(Command.Request request) throws Refused {
        return switch (reply(request)) {
            case Reply.Granted granted -> granted;
            case Reply other -> throw refused(other);
        };
    }

    /** The same for what concerns a token. */
    Token keep(Command.Request request) throws Refused {
        return switch (reply(request)) {
            case Reply.Kept(var token) -> token;
            case Reply other -> throw refused(other);
        };
    }

    /** The same for what concerns the scheduler. */
    Reply.Scheduled schedule(Command.Schedule request) throws Refused {
        return switch (reply(request)) {
            case Reply.Scheduled scheduled -> scheduled;
            case Reply other -> throw refused(other);
        };
    }

    /** The same for what concerns a started command file. */
    Reply.Ran run(Command.Request request) throws Refused {
        return switch (reply(request)) {
            case Reply.Ran ran -> ran;
            case Reply other -> throw refused(other);
        };
    }

    /** What to throw at a reply that does not grant what was asked. */
    static Refused refused(Reply reply) {
        return switch (reply) {
            case Reply.Refused(var why) -> new Refused(why);
            case Reply.Unavailable(var kind, var detail) -> new Refused(unavailable(kind, detail));
            case Reply.Granted _,
                    Reply.Kept _,
                    Reply.Busy _,
                    Reply.Scheduled _,
                    Reply.Ran _,
                    Reply.Noted _ ->
                    throw new IllegalStateException("no answer to this request: " + reply);
        };
    }

    /** A snapshot of what is committed now. */
    Snapshot snapshot() {
        return engine.engine().snapshot(engine.now());
    }

    /** The engine's memory saves a look into the store, unless the task is over already. */
    Task task(TaskId id) throws Refused, StoreFailure {
        var live = engine.state().tasks().get(id);
        return live.isPresent() ? live.get() : find(id).task();
    }

    TaskRecord find(TaskId id) throws Refused, StoreFailure {
        var found = queries.find(id);
        if (found.isEmpty()) {
            throw new Refused(
                    Rejected.unknown("task.unknown", "There is no task " + id + ".")
                            .with("task", id));
        }
        return found.get();
    }

    /** Whatever the engine says, once it is durable. */
    Reply reply(Command.Request request) throws Refused {
        try {
            return engine.ask(request).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException _) {
            throw late();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw late();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the engine failed", e);
        }
    }

    private static Refused late() {
        return new Refused(
                later(
                        503,
                        "engine.late",
                        "Berth did not come to this in time, and may still do it. Look before you"
                                + " ask again, or ask again with the same Idempotency-Key."));
    }

    private static Answer unavailable(StoreFailure.Kind kind, String detail) {
        return switch (kind) {
            case FULL -> later(507, "store.full", detail);
            case UNAVAILABLE -> later(503, "store.unavailable", detail);
            case FENCED -> later(503, "store.fenced", detail);
        };
    }

    private static Answer later(int status, String code, String detail) {
        return Answer.problem(status, code, detail).with("Retry-After", "1");
    }
}
