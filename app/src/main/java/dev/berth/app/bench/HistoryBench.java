package dev.berth.app.bench;

import dev.berth.core.queue.FifoOrder;
import dev.berth.engine.EngineState;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.SampleHistory.Subject;
import dev.berth.store.Database;
import dev.berth.store.HomeRefused;
import dev.berth.store.SqliteHistory;
import dev.berth.store.SqliteTaskStore;
import dev.berth.telemetry.history.Charts;
import dev.berth.telemetry.history.Sampler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Measures one month of history on a large machine: file size, time to write, time to read. */
final class HistoryBench {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MONTH = Duration.ofDays(30);
    private static final int SECONDS = 60;
    private static final int READS = 200;
    private static final double MIB = 1 << 20;

    private final BenchReport report;

    HistoryBench(BenchReport report) {
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; a temporary home is created there and
     *     removed
     */
    void run(Path directory) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        var file = home.resolve("history.db");
        try (var store = new SqliteTaskStore(Database.open(home.resolve("tasks.db")));
                var history = SqliteHistory.open(file)) {
            var machine = new SampledMachine(EngineState.of(store.open(), new FifoOrder(), 0));
            var sampler = new Sampler(history);
            var now = fill(sampler, machine);
            report.line(
                    "file",
                    "%.1f MiB, its log %.1f MiB"
                            .formatted(
                                    Files.size(file) / MIB,
                                    Files.size(file.resolveSibling("history.db-wal")) / MIB));
            var charts = new Charts(history, sampler::unstoredOf);
            read(charts, now, "1 h", Duration.ofHours(1));
            read(charts, now, "24 h", Duration.ofHours(24));
            read(charts, now, "7 d", Duration.ofDays(7));
            read(charts, now, "30 d", Duration.ofDays(30));
        } catch (HomeRefused | StoreFailure failure) {
            throw new IOException(failure);
        } finally {
            BenchReport.delete(home);
        }
    }

    /** Simulates one second after another, as fast as possible. */
    private Instant fill(Sampler sampler, SampledMachine machine) {
        int minutes = (int) MONTH.toMinutes();
        var samples = new double[minutes];
        var writes = new double[minutes];
        var now = BEGIN;
        for (int minute = 0; minute < minutes; minute++) {
            machine.minute(minute, now);
            // The first sample of a minute writes the previous minute.
            for (int second = 0; second < SECONDS; second++) {
                var state = machine.second();
                long begin = System.nanoTime();
                sampler.takeSample(state, now);
                double millis = (System.nanoTime() - begin) / 1e6;
                if (second == 0) {
                    writes[minute] = millis;
                } else {
                    samples[minute] += millis / (SECONDS - 1);
                }
                now = now.plusSeconds(1);
            }
        }
        report.line(
                "a month of 1 Hz",
                "%d GPUs, %d tasks at a time, %d in total"
                        .formatted(SampledMachine.GPUS, SampledMachine.GPUS, machine.tasks()));
        var sample = Percentiles.of(samples);
        report.line("a look", "p50 %.3f ms, p95 %.3f ms".formatted(sample.p(50), sample.p(95)));
        var write = Percentiles.of(writes);
        report.line(
                "a minute's write",
                "p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, longest %.1f ms"
                        .formatted(write.p(50), write.p(95), write.p(99), write.p(100)));
        return now;
    }

    private void read(Charts charts, Instant now, String range, Duration length)
            throws StoreFailure {
        var millis = new double[READS];
        int points = 0;
        for (int i = 0; i < READS; i++) {
            long begin = System.nanoTime();
            var chart =
                    charts.chart(
                            new Subject.OfGpu(SampledMachine.gpu(i % SampledMachine.GPUS)),
                            now.minus(length),
                            now,
                            now);
            millis[i] = (System.nanoTime() - begin) / 1e6;
            points = chart.points().size();
        }
        report.line("a GPU's " + range, Percentiles.of(millis) + ", " + points + " points");
    }
}
