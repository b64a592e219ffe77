package dev.berth.server.api.task;

import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;

import java.util.List;

/** Submits tasks, for all routes that create some. */
public record TaskSubmission(EngineClient engine, TaskLookup lookup, TaskJson words) {

    /** Submits one task; the response shows it as submitted. */
    public RouteResponse submit(RouteRequest call, EngineCommand.NewTask entry, String hash)
            throws RejectedException, StoreFailure {
        var granted =
                engine.requestTask(
                        new EngineCommand.Submit(
                                engine.now(),
                                call.caller().owner(),
                                entry,
                                IdempotencyKeys.of(call, hash)),
                        call.caller().via());
        var id = granted.task();
        if (granted.isRepeated()) {
            return RouteResponse.ok(words.detail(lookup.whole(id)))
                    .with("Location", "/api/tasks/" + id);
        }
        var submitted = lookup.task(id).with(entry.spec());
        return RouteResponse.of(201, words.asSubmitted(submitted, entry.isDraft()))
                .with("Location", "/api/tasks/" + id);
    }

    /** Submits all tasks or none. */
    EngineReply.TaskAccepted submitBatch(
            RouteRequest call, List<EngineCommand.NewTask> entries, String hash)
            throws RejectedException {
        return engine.requestTask(
                new EngineCommand.Submit(
                        engine.now(),
                        call.caller().owner(),
                        entries,
                        true,
                        IdempotencyKeys.of(call, hash)),
                call.caller().via());
    }
}
