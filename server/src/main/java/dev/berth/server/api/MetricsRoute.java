package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.server.metrics.Look;
import dev.berth.server.metrics.MetricsPage;
import dev.berth.server.stream.Broadcast;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/** What Prometheus reads. */
final class MetricsRoute {

    private static final Logger log = LoggerFactory.getLogger(MetricsRoute.class);

    /** Often enough for a stranger: a look costs a walk through all that waits. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final Desk desk;
    private final About about;
    private final Broadcast broadcast;
    private final MetricsPage page;
    private volatile @Nullable Seen last;

    private record Seen(Instant at, byte[] page) {
        @Override
        public String toString() {
            return "seen at " + at;
        }
    }

    MetricsRoute(Desk desk, About about, Broadcast broadcast) {
        this.desk = desk;
        this.about = about;
        this.broadcast = broadcast;
        this.page = new MetricsPage(about.figures(), about.version());
    }

    List<Route> routes() {
        var isOpen = about.book().now().door().hasOpenMetrics();
        var doc =
                Doc.of("Everything that is counted and measured here, for Prometheus")
                        .giving(200, new Doc.Shape.Text())
                        .refusing(422);
        return List.of(
                Route.get(
                        PathPattern.of("/metrics"),
                        isOpen ? Access.ANYONE : Access.SERVED,
                        doc,
                        this::metrics));
    }

    private Answer metrics(Call call) {
        var now = desk.engine().now();
        var seen = last;
        if (seen == null
                || call.known().isPresent()
                || Duration.between(seen.at(), now).abs().compareTo(MOMENT) >= 0) {
            seen = new Seen(now, page.of(look(now)));
            last = seen;
        }
        return Answer.bytes(MetricsPage.TYPE, seen.page());
    }

    private OptionalLong diskFreeBytes() {
        var tasks = about.book().now().storage().runtime();
        try {
            return OptionalLong.of(Files.getFileStore(tasks).getUsableSpace());
        } catch (IOException e) {
            log.debug("free space of {} cannot be read: {}", tasks, e.toString());
            return OptionalLong.empty();
        }
    }

    private Look look(Instant now) {
        var engine = desk.engine().engine();
        var longest =
                engine.waits(now)
                        .longest()
                        .map(task -> Duration.between(task.waitingSince(), now))
                        .orElse(Duration.ZERO);
        return new Look(
                engine.state(),
                now,
                new QueueWords(engine.snapshot(now)).priorities(),
                longest,
                engine.paused().isEmpty(),
                !engine.isStoreFailing(),
                diskFreeBytes(),
                new Look.Listening(broadcast.clients(), broadcast.lag()));
    }
}
