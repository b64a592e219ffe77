package dev.berth.app.bench;

import dev.berth.jsontext.JsonWriter;
import dev.berth.port.StoreFailure;
import dev.berth.store.Database;
import dev.berth.store.HomeRefused;
import dev.berth.store.SqliteTaskStore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what grows with the size of an installation: GPUs, lanes, queued and ended tasks. Each
 * figure stands beside the same one of a small installation, measured in the same run.
 */
final class ScaleBench {

    private static final int FEW_GPUS = 8;
    private static final int MANY_GPUS = 1000;
    private static final int WARM_UP = 600;
    private static final int AT_ONCE = 1200;
    private static final int RUNS = 3;
    private static final int CALLERS = 4;
    private static final int FEW_LANES = 100;
    private static final int MANY_LANES = 10_000;
    private static final int LANE_TASKS = 1000;
    private static final int FEW_TASKS = 1000;
    private static final int BATCH = 1000;
    private static final int READS = 100;
    private static final int USAGE_READS = 10;
    private static final int STARTS = 3;

    private final String launcher;
    private final BenchReport report;

    ScaleBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; temporary homes are created there and
     *     removed
     * @param tasks the number of queued and of ended tasks
     */
    void run(Path directory, int tasks) throws IOException {
        var root = Files.createTempDirectory(directory, "berth-bench");
        try {
            gpus(root, FEW_GPUS);
            gpus(root, MANY_GPUS);
            queue(root, FEW_TASKS);
            queue(root, tasks);
            history(root, FEW_TASKS);
            history(root, tasks);
        } finally {
            BenchReport.delete(root);
        }
    }

    private interface Measurement {
        void in(Path home) throws IOException;
    }

    /** Nothing is removed before the end: ext4 creates files slowly beside removed ones. */
    private static void inHome(Path directory, Measurement measurement) throws IOException {
        measurement.in(Files.createTempDirectory(directory, "home"));
    }

    private void gpus(Path directory, int gpus) throws IOException {
        var label = "%,d GPUs: ".formatted(gpus);
        inHome(
                directory,
                home -> {
                    try (var server = BenchServer.start(launcher, home, gpus);
                            var client = server.client()) {
                        var _ =
                                server.throughput(
                                        CALLERS, WARM_UP, one -> one.submit("true", "auto", 1));
                        var rates = new double[RUNS];
                        for (int i = 0; i < RUNS; i++) {
                            rates[i] = atOnce(client);
                        }
                        report.line(
                                label + "%,d tasks at once".formatted(AT_ONCE),
                                "%.0f/s".formatted(Percentiles.of(rates).p(50)));
                        report.line(label + "GET /api/gpus", reads(client, "/api/gpus", READS));
                        report.line(label + "memory", server.residentMib() + " MiB");
                        if (gpus == FEW_GPUS) {
                            lanes(home, server, FEW_LANES);
                            lanes(home, server, MANY_LANES);
                        }
                    }
                });
    }

    /** All tasks wait before the first one may start. */
    private static double atOnce(BenchServer.Client client) throws IOException {
        client.post("/api/scheduler/stop", "");
        for (int sent = 0; sent < AT_ONCE; sent += BATCH) {
            client.submitEqual("true", Math.min(BATCH, AT_ONCE - sent));
        }
        long begin = System.nanoTime();
        client.post("/api/scheduler/start", "");
        client.awaitAll();
        return AT_ONCE / ((System.nanoTime() - begin) / 1e9);
    }

    /**
     * Starts the lanes of a command file until the first tasks have run; the others never start.
     */
    private void lanes(Path home, BenchServer server, int lanes) throws IOException {
        var started = home.resolve("started-" + lanes);
        Files.createFile(started);
        var file = new StringBuilder();
        // More than are measured: a run that has ended cannot be stopped.
        for (int task = 0; task < Math.max(lanes, 2 * LANE_TASKS); task++) {
            file.append(task % lanes).append("\nprintf . >>").append(started).append("\n0\n\n");
        }
        var body =
                "{\"content\":%s,\"command_file\":%s,\"work_dir\":\"/\"}"
                        .formatted(
                                JsonWriter.write(file.toString()),
                                JsonWriter.write(home.resolve("lanes-" + lanes).toString()));
        // A connection of its own for each request: a server closes one that is idle for long.
        long run;
        try (var client = server.client()) {
            run = client.startRun(body);
        }
        await(started, 1);
        long begin = System.nanoTime();
        await(started, LANE_TASKS);
        double rate = (LANE_TASKS - 1) / ((System.nanoTime() - begin) / 1e9);
        report.line("%,d lanes".formatted(lanes), "%.0f starts/s".formatted(rate));
        try (var client = server.client()) {
            client.post("/api/scheduler/stop/" + run, "");
            client.awaitAll();
        }
    }

    private static void await(Path file, int bytes) throws IOException {
        while (Files.size(file) < bytes) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private void queue(Path directory, int tasks) throws IOException {
        var label = "%,d queued: ".formatted(tasks);
        inHome(
                directory,
                home -> {
                    var holders = new ArrayList<Long>();
                    var server = BenchServer.start(launcher, home);
                    try (var client = server.client()) {
                        for (int gpu = 0; gpu < FEW_GPUS; gpu++) {
                            holders.add(client.submitFirst("exec sleep 3600", gpu));
                        }
                        for (int sent = 0; sent < tasks; sent += BATCH) {
                            client.submitAll(sent, Math.min(BATCH, tasks - sent));
                        }
                        for (var path :
                                new String[] {"/api/health", "/metrics", "/api/queue?limit=10"}) {
                            report.line(label + "GET " + path, reads(client, path, READS));
                        }
                    } finally {
                        server.kill();
                    }
                    report.line(label + "start after kill -9", starts(home));
                    try (var last = BenchServer.start(launcher, home);
                            var client = last.client()) {
                        client.endAll(holders);
                    }
                });
    }

    private void history(Path directory, int tasks) throws IOException {
        var label = "%,d ended: ".formatted(tasks);
        inHome(
                directory,
                home -> {
                    var begin = Instant.now().minus(Duration.ofSeconds(tasks + 1000));
                    fill(home, tasks, begin);
                    report.line(label + "start", starts(home));
                    try (var server = BenchServer.start(launcher, home);
                            var client = server.client()) {
                        report.line(
                                label + "GET /api/usage, a day",
                                reads(client, "/api/usage?days=1", USAGE_READS));
                        report.line(
                                label + "GET /api/usage, a month",
                                reads(client, "/api/usage?days=30", USAGE_READS));
                    }
                });
    }

    private static void fill(Path home, int tasks, Instant begin) throws IOException {
        try (var store = new SqliteTaskStore(Database.open(home.resolve("runtime/tasks.db")))) {
            store.open();
            EndedTasks.add(store, tasks, begin);
        } catch (HomeRefused | StoreFailure failure) {
            throw new IOException(failure);
        }
    }

    /** From the command to the line {@code ready}. Each of these servers is killed. */
    private String starts(Path home) throws IOException {
        var millis = new double[STARTS];
        for (int i = 0; i < STARTS; i++) {
            long begin = System.nanoTime();
            var server = BenchServer.start(launcher, home);
            millis[i] = (System.nanoTime() - begin) / 1e6;
            server.kill();
        }
        return "p50 %.0f ms (n=%d)".formatted(Percentiles.of(millis).p(50), STARTS);
    }

    private static String reads(BenchServer.Client client, String path, int count)
            throws IOException {
        var millis = new double[count];
        for (int i = -count; i < count; i++) {
            long begin = System.nanoTime();
            client.get(path);
            millis[Math.max(0, i)] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis).toString();
    }
}
