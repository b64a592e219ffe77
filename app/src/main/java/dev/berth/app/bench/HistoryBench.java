package dev.berth.app.bench;

import dev.berth.core.line.Fifo;
import dev.berth.engine.State;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.history.Charts;
import dev.berth.server.history.Sampler;
import dev.berth.store.Database;
import dev.berth.store.HomeRefused;
import dev.berth.store.SqliteHistory;
import dev.berth.store.SqliteTaskStore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** What a month of a large machine's history takes: room, time to write, time to read. */
final class HistoryBench {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MONTH = Duration.ofDays(30);
    private static final int SECONDS = 60;
    private static final int READS = 200;
    private static final double MIB = 1 << 20;

    private final Report report;

    HistoryBench(Report report) {
        this.report = report;
    }

    /**
     * @param place on the disk to be measured; a home is made there, and removed again
     */
    void run(Path place) throws IOException {
        var home = Files.createTempDirectory(place, "berth-bench");
        var file = home.resolve("history.db");
        try (var store = new SqliteTaskStore(Database.at(home.resolve("tasks.db")));
                var history = SqliteHistory.open(file)) {
            var machine = new SampledMachine(State.of(store.open(), new Fifo(), 0));
            var sampler = new Sampler(history);
            var now = fill(sampler, machine);
            report.line(
                    "file",
                    "%.1f MiB, its log %.1f MiB"
                            .formatted(
                                    Files.size(file) / MIB,
                                    Files.size(file.resolveSibling("history.db-wal")) / MIB));
            var charts = new Charts(history, sampler::fresh);
            read(charts, now, "1 h", Duration.ofHours(1));
            read(charts, now, "24 h", Duration.ofHours(24));
            read(charts, now, "7 d", Duration.ofDays(7));
            read(charts, now, "30 d", Duration.ofDays(30));
        } catch (HomeRefused | StoreFailure failure) {
            throw new IOException(failure);
        } finally {
            Report.delete(home);
        }
    }

    /** A second of the clock after the other, as fast as it goes. */
    private Instant fill(Sampler sampler, SampledMachine machine) {
        int minutes = (int) MONTH.toMinutes();
        var looks = new double[minutes];
        var writes = new double[minutes];
        var now = BEGIN;
        for (int minute = 0; minute < minutes; minute++) {
            machine.minute(minute, now);
            // The first look of a minute hands over the one before.
            for (int second = 0; second < SECONDS; second++) {
                var state = machine.second();
                long begin = System.nanoTime();
                sampler.look(state, now);
                double millis = (System.nanoTime() - begin) / 1e6;
                if (second == 0) {
                    writes[minute] = millis;
                } else {
                    looks[minute] += millis / (SECONDS - 1);
                }
                now = now.plusSeconds(1);
            }
        }
        report.line(
                "a month of 1 Hz",
                "%d cards, %d tasks at a time, %d in all"
                        .formatted(SampledMachine.CARDS, SampledMachine.CARDS, machine.tasks()));
        var look = Spread.of(looks);
        report.line("a look", "p50 %.3f ms, p95 %.3f ms".formatted(look.p(50), look.p(95)));
        var write = Spread.of(writes);
        report.line(
                "a minute's write",
                "p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, longest %.1f ms"
                        .formatted(write.p(50), write.p(95), write.p(99), write.p(100)));
        return now;
    }

    private void read(Charts charts, Instant now, String range, Duration back) throws StoreFailure {
        var millis = new double[READS];
        int points = 0;
        for (int i = 0; i < READS; i++) {
            long begin = System.nanoTime();
            var chart =
                    charts.of(
                            new Subject.OfCard(SampledMachine.card(i % SampledMachine.CARDS)),
                            now.minus(back),
                            now,
                            now);
            millis[i] = (System.nanoTime() - begin) / 1e6;
            points = chart.points().size();
        }
        report.line("a card's " + range, Spread.of(millis) + ", " + points + " points");
    }
}
