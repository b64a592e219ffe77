package dev.berth.server.api;

import dev.berth.engine.LongWaits;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.Health;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether all is well, for everybody who asks. What is not is told to those who are served: it may
 * name paths and what a driver said.
 */
final class HealthRoutes {

    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final Desk desk;
    private volatile @Nullable Known last;

    HealthRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        var doc =
                Doc.of(
                                "Whether all is well; it answers from the moment recovery is over."
                                        + " Those who are served are also told what is not")
                        .giving(200, Health.class)
                        .giving(503, Health.class);
        return List.of(Route.get(PathPattern.of("/api/health"), Access.ANYONE, doc, this::health));
    }

    private Answer health(Call call) {
        var problems = new ArrayList<>(desk.engine().engine().problems());
        longWait(call.known().isPresent()).ifPresent(problems::add);
        if (problems.isEmpty()) {
            return Answer.ok(Health.OK);
        }
        var told = call.known().isPresent() ? List.copyOf(problems) : null;
        return Answer.of(503, new Health("failing", told));
    }

    /**
     * Strangers are told what was seen a moment ago: a look costs a walk through all that waits.
     */
    private LongWaits.Waits waits(Instant now, boolean isServed) {
        var known = last;
        if (!isServed
                && known != null
                && Duration.between(known.at(), now).abs().compareTo(MOMENT) < 0) {
            return known.waits();
        }
        var waits = desk.engine().engine().waits(now);
        last = new Known(now, waits);
        return waits;
    }

    private record Known(Instant at, LongWaits.Waits waits) {}

    private Optional<String> longWait(boolean isServed) {
        var now = desk.engine().now();
        var waits = waits(now, isServed);
        return waits.late() == 0
                ? Optional.empty()
                : waits.longest()
                        .map(
                                longest ->
                                        (waits.late() == 1
                                                        ? "1 task has"
                                                        : waits.late() + " tasks have")
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
