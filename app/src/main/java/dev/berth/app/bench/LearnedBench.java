package dev.berth.app.bench;

import dev.berth.core.predict.LearnedBuilder;
import dev.berth.port.StoreFailure;
import dev.berth.store.Database;
import dev.berth.store.HomeRefused;
import dev.berth.store.SqliteTaskQueries;
import dev.berth.store.SqliteTaskStore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * Measures how long a server reads and learns the ended runs of earlier servers after its start.
 */
final class LearnedBench {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final int REPEATS = 5;

    private final BenchReport report;

    LearnedBench(BenchReport report) {
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; a temporary home is created there and
     *     removed
     */
    void run(Path directory, int tasks) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        try {
            var database = Database.open(home.resolve("tasks.db"));
            try (var store = new SqliteTaskStore(database);
                    var queries = new SqliteTaskQueries(database)) {
                store.open();
                EndedTasks.add(store, tasks, BEGIN);
                measure(queries, tasks);
            }
        } catch (HomeRefused | StoreFailure failure) {
            throw new IOException(failure);
        } finally {
            BenchReport.delete(home);
        }
    }

    /** The first time is that of a server: its JVM is as cold. */
    private void measure(SqliteTaskQueries queries, int tasks) throws StoreFailure {
        var millis = new double[REPEATS];
        int groups = 0;
        for (int i = 0; i < REPEATS; i++) {
            long begin = System.nanoTime();
            var builder = new LearnedBuilder();
            queries.readEndedRuns(tasks, builder::add);
            groups = builder.build().groups().size();
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        report.line(
                "read and learn %,d ended tasks".formatted(tasks),
                "first %.0f ms, p50 %.0f ms; %,d groups"
                        .formatted(millis[0], Percentiles.of(millis).p(50), groups));
    }
}
