package dev.berth.server.api.metrics;

import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.queue.QueueJson;
import dev.berth.server.stream.EventBroadcast;
import dev.berth.telemetry.metrics.MetricsPage;
import dev.berth.telemetry.metrics.MetricsSnapshot;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/** Metrics for Prometheus. */
public final class MetricsRoutes {

    private static final Logger log = LoggerFactory.getLogger(MetricsRoutes.class);

    /** Unauthenticated clients get a page at most this old: rendering it walks the whole queue. */
    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    private volatile @Nullable CachedPage last;

    private record CachedPage(Instant at, byte[] page) {
        @Override
        public String toString() {
            return "seen at " + at;
        }
    }

    private final EngineClient engine;
    private final MetricsPage page;
    private final EventBroadcast broadcast;
    private final boolean isOpen;
    private final Path tasks;

    /**
     * @param isOpen true if callers need no credentials
     * @param tasks the directory of tasks, whose free space is shown
     */
    public MetricsRoutes(
            EngineClient engine,
            MetricsPage page,
            EventBroadcast broadcast,
            boolean isOpen,
            Path tasks) {
        this.engine = engine;
        this.page = page;
        this.broadcast = broadcast;
        this.isOpen = isOpen;
        this.tasks = tasks;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of("All metrics, for Prometheus")
                        .withResponse(200, new RouteDoc.BodyType.Text())
                        .withErrors(422);
        return List.of(
                Route.get(
                        PathPattern.of("/metrics"),
                        isOpen ? AccessLevel.ANYONE : AccessLevel.SERVED,
                        doc,
                        this::metrics));
    }

    private RouteResponse metrics(RouteRequest call) {
        var now = engine.now();
        var cached = last;
        if (cached == null
                || call.callerIfKnown().isPresent()
                || Duration.between(cached.at(), now).abs().compareTo(MAX_AGE) >= 0) {
            cached = new CachedPage(now, page.render(read(now)));
            last = cached;
        }
        return RouteResponse.bytes(MetricsPage.CONTENT_TYPE, cached.page());
    }

    private OptionalLong diskFreeBytes() {
        try {
            return OptionalLong.of(Files.getFileStore(tasks).getUsableSpace());
        } catch (IOException e) {
            log.debug("free space of {} cannot be read: {}", tasks, e.toString());
            return OptionalLong.empty();
        }
    }

    private MetricsSnapshot read(Instant now) {
        var loop = engine.engine();
        var longest =
                loop.waits(now)
                        .longest()
                        .map(task -> Duration.between(task.waitingSince(), now))
                        .orElse(Duration.ZERO);
        return new MetricsSnapshot(
                loop.state(),
                now,
                QueueJson.priorities(loop.snapshot(now).waiting()),
                longest,
                loop.pause().isEmpty(),
                !loop.isStoreFailing(),
                diskFreeBytes(),
                new MetricsSnapshot.StreamClients(broadcast.clients(), broadcast.lag()));
    }
}
