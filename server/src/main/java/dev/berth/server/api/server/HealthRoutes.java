package dev.berth.server.api.server;

import dev.berth.engine.LongWaits;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.Health;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The health check. It is open to every client, but only authenticated callers see the problems:
 * these may name paths and driver messages.
 */
public final class HealthRoutes {

    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    private final EngineClient engine;
    private volatile @Nullable Cached last;

    public HealthRoutes(EngineClient engine) {
        this.engine = engine;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of(
                                "Health of the server, available once recovery is done."
                                        + " Authenticated callers also get the problems")
                        .withResponse(200, Health.class)
                        .withResponse(503, Health.class);
        return List.of(
                Route.get(PathPattern.of("/api/health"), AccessLevel.ANYONE, doc, this::health));
    }

    private RouteResponse health(RouteRequest call) {
        var problems = new ArrayList<>(engine.engine().problems());
        longWaitProblem(call.callerIfKnown().isPresent()).ifPresent(problems::add);
        if (problems.isEmpty()) {
            return RouteResponse.ok(Health.OK);
        }
        var visible = call.callerIfKnown().isPresent() ? List.copyOf(problems) : null;
        return RouteResponse.of(503, new Health("failing", visible));
    }

    /** Unauthenticated clients get a recent result: computing it walks the whole queue. */
    private LongWaits.Waits waits(Instant now, boolean isServed) {
        var cached = last;
        if (!isServed
                && cached != null
                && Duration.between(cached.at(), now).abs().compareTo(MAX_AGE) < 0) {
            return cached.waits();
        }
        var waits = engine.engine().waits(now);
        last = new Cached(now, waits);
        return waits;
    }

    private record Cached(Instant at, LongWaits.Waits waits) {}

    private Optional<String> longWaitProblem(boolean isServed) {
        var now = engine.now();
        var waits = waits(now, isServed);
        return waits.overLimit() == 0
                ? Optional.empty()
                : waits.longest()
                        .map(
                                longest ->
                                        (waits.overLimit() == 1
                                                        ? "1 task has"
                                                        : waits.overLimit() + " tasks have")
                                                + " waited longer than "
                                                + waits.limit().toSeconds()
                                                + " s (queue_wait_warn_seconds), task "
                                                + longest.id()
                                                + " for "
                                                + Duration.between(longest.waitingSince(), now)
                                                        .toSeconds()
                                                + " s: berth why "
                                                + longest.id());
    }
}
