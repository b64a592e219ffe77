package dev.berth.app.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Measures what a task costs whose model is loaded, beside one that has to load it first: one task
 * at a time for the time of a task, and as many as possible for the throughput.
 */
final class WarmBench {

    private static final int GPUS = 8;
    private static final int CALLERS = 8;
    private static final int SINGLE = 1000;
    private static final int WARM_UP = 3000;

    /** Answers at once, so that only Berth's own time is measured. */
    private static final String WORKER =
            """
            echo '{"type":"ready"}'
            while IFS= read -r line; do
                case $line in
                    '{"type":"run"'*)
                        task=${line#*'"task":'}
                        echo "{\\"type\\":\\"result\\",\\"task\\":${task%%[,\\}]*},\\"value\\":null}" ;;
                    '{"type":"ping"'*) echo '{"type":"pong"}' ;;
                esac
            done
            """;

    private final String launcher;
    private final BenchReport report;

    WarmBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    void run(Path directory, int tasks) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        try (var server = BenchServer.start(launcher, home);
                var client = server.client()) {
            client.saveModel("bench", WORKER);
            var _ = throughput(server, WARM_UP);
            report.line("cold: load, run and answer", cold(client).toString());
            var _ = warm(client, WARM_UP);
            var baseline = new WarmBaseline(home);
            var worker = baseline.worker(WORKER, SINGLE);
            var sync = baseline.sync(SINGLE);
            var warm = warm(client, SINGLE);
            report.line("warm: run and answer", warm.toString());
            report.line("  the worker alone", worker.toString());
            report.line(
                    "  overhead",
                    "p50 %.2f ms: the difference of both p50".formatted(warm.p(50) - worker.p(50)));
            report.line("  a write and sync, of two", sync.toString());
            report.line(
                    tasks + " warm tasks on 8 workers",
                    "%.0f/s".formatted(throughput(server, tasks)));
        } finally {
            BenchReport.delete(home);
        }
    }

    /** Each task finds no worker. */
    private static Percentiles cold(BenchServer.Client client) throws IOException {
        var millis = new double[GPUS * 4];
        for (int i = 0; i < millis.length; i++) {
            client.unloadModel("bench");
            long begin = System.nanoTime();
            client.await(client.callModel("bench"));
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis);
    }

    /** One task after another. */
    private static Percentiles warm(BenchServer.Client client, int tasks) throws IOException {
        var millis = new double[tasks];
        for (int i = 0; i < tasks; i++) {
            long begin = System.nanoTime();
            client.await(client.callModel("bench"));
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis);
    }

    private static double throughput(BenchServer server, int tasks) throws IOException {
        return server.throughput(CALLERS, tasks, client -> client.callModel("bench"));
    }
}
