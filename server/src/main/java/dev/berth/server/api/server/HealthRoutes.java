package dev.berth.server.api.server;

import dev.berth.engine.LongWaits;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.port.read.TaskQueries;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.Health;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The health check. It is open to every client, but only admins see the problems: these may name
 * paths and driver messages.
 */
public final class HealthRoutes {

    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    private final EngineClient engine;
    private final TaskQueries queries;
    private final DatabaseMaintenance maintenance;
    private final ListeningPort port;
    private volatile @Nullable StoreState lastStore;
    private volatile @Nullable Cached last;

    public HealthRoutes(
            EngineClient engine,
            TaskQueries queries,
            DatabaseMaintenance maintenance,
            ListeningPort port) {
        this.engine = engine;
        this.queries = queries;
        this.maintenance = maintenance;
        this.port = port;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of("Health of the server. Admins also get the problems")
                        .withResponse(200, Health.class)
                        .withResponse(503, Health.class);
        return List.of(
                Route.get(PathPattern.of("/api/health"), AccessLevel.ANYONE, doc, this::health));
    }

    private RouteResponse health(RouteRequest call) {
        var problems = new ArrayList<>(engine.engine().problems());
        maintenance
                .damage()
                .ifPresent(
                        what ->
                                problems.add(
                                        "The database is damaged: "
                                                + what
                                                + ". Check it with berth doctor --deep"));
        port.certificateProblem(engine.now()).ifPresent(problems::add);
        storeProblem().ifPresent(problems::add);
        // They quote reasons and paths of every user's tasks.
        boolean seesProblems = call.callerIfKnown().filter(Caller::isAdmin).isPresent();
        longWaitProblem(seesProblems).ifPresent(problems::add);
        var hasPasswordLogin = port.hasPasswordLogin() ? Boolean.TRUE : null;
        if (problems.isEmpty()) {
            return RouteResponse.ok(new Health("ok", null, hasPasswordLogin));
        }
        var visible = seesProblems ? List.copyOf(problems) : null;
        return RouteResponse.of(503, new Health("failing", visible, hasPasswordLogin));
    }

    /** A server that only waits makes no commit, which would find this. */
    private Optional<String> storeProblem() {
        var now = engine.now();
        var known = lastStore;
        if (known == null || Duration.between(known.at(), now).abs().compareTo(MAX_AGE) >= 0) {
            known = new StoreState(now, readStoreProblem());
            lastStore = known;
        }
        return known.problem();
    }

    private Optional<String> readStoreProblem() {
        try {
            long own = engine.engine().epoch();
            long latest = queries.epoch();
            return latest == own
                    ? Optional.empty()
                    : Optional.of(
                            "Another server has taken over this home (epoch "
                                    + latest
                                    + ", this server has "
                                    + own
                                    + "): this one starts nothing and accepts nothing. Stop it.");
        } catch (StoreFailure failure) {
            return Optional.of("The database cannot be read: " + failure.getMessage());
        }
    }

    private record StoreState(Instant at, Optional<String> problem) {}

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
