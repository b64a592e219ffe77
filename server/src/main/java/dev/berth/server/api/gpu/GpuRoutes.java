package dev.berth.server.api.gpu;

import dev.berth.core.Rejected;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.GpuQuarantine;
import dev.berth.wire.GpuRecover;

import java.util.List;
import java.util.Set;

/** Lists GPUs, quarantines them and takes them back into use. */
public final class GpuRoutes {

    private static final int MAX_REASON_LENGTH = 200;

    private static final Param<Boolean> PROCESSES =
            Param.flag("processes", "true: also the processes on each GPU, of all users");

    public static final Param<Long> INDEX =
            Param.number("id", "the GPU's number", 0, Integer.MAX_VALUE);

    private static final RouteDoc ALL_DOC =
            RouteDoc.of("All GPUs ever seen here, with their load and the tasks that hold them")
                    .withQuery(PROCESSES)
                    .withListResponse(200, GpuInfo.class)
                    .withErrors(422);

    private static final RouteDoc QUARANTINE_DOC =
            RouteDoc.of("Quarantines the GPU: no task starts on it; running tasks continue")
                    .withBody(GpuQuarantine.class)
                    .withResponse(200, GpuInfo.class)
                    .withErrors(400, 404, 409, 422, 503, 507);

    private static final RouteDoc RECOVER_DOC =
            RouteDoc.of(
                            "Tests a quarantined GPU and uses it again if it passes; with force it"
                                    + " is used again at once")
                    .withBody(GpuRecover.class)
                    .withResponse(200, GpuInfo.class)
                    .withErrors(400, 404, 409, 422, 503, 507);
    private final EngineClient engine;
    private final GpuJson gpus;

    public GpuRoutes(EngineClient engine, GpuJson gpus) {
        this.engine = engine;
        this.gpus = gpus;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/gpus"),
                        AccessLevel.SERVED,
                        ALL_DOC,
                        call -> RouteResponse.ok(gpus.all(call.query(PROCESSES).orElse(false)))),
                Route.post(
                        PathPattern.of("/api/gpus/{id}/quarantine", INDEX),
                        AccessLevel.ADMIN,
                        QUARANTINE_DOC,
                        this::quarantine),
                Route.post(
                        PathPattern.of("/api/gpus/{id}/recover", INDEX),
                        AccessLevel.ADMIN,
                        RECOVER_DOC,
                        this::recover));
    }

    private RouteResponse quarantine(RouteRequest call) throws RejectedException {
        int index = index(call);
        var fields = call.body().fields();
        fields.requireKnown(Set.of("reason"), Set.of());
        var reason = fields.requiredText("reason").strip();
        if (reason.isEmpty()
                || reason.length() > MAX_REASON_LENGTH
                || !reason.equals(singleLine(reason))) {
            throw new RejectedException(
                    Rejected.invalid("reason.invalid", "reason").with("max", MAX_REASON_LENGTH));
        }
        var now = engine.now();
        var caller = call.caller();
        requireDone(new EngineCommand.QuarantineGpu(now, caller.owner(), index, reason), caller);
        return RouteResponse.ok(gpus.at(index));
    }

    private static String singleLine(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private RouteResponse recover(RouteRequest call) throws RejectedException {
        int index = index(call);
        var fields = call.body().fields();
        fields.requireKnown(Set.of("force"), Set.of());
        boolean isForced = fields.flag("force");
        var now = engine.now();
        var caller = call.caller();
        requireDone(new EngineCommand.RecoverGpu(now, caller.owner(), index, isForced), caller);
        return RouteResponse.ok(gpus.at(index));
    }

    private void requireDone(EngineCommand.Request request, Caller caller)
            throws RejectedException {
        var reply = engine.request(request, caller.via());
        if (!(reply instanceof EngineReply.Done)) {
            throw EngineClient.rejection(reply);
        }
    }

    public static int index(RouteRequest call) throws RejectedException {
        return call.path(INDEX).intValue();
    }
}
