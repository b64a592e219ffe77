package dev.berth.app.bench;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures Berth's own latency: from a submit to the first instruction, and from one task to the
 * next.
 */
final class StartBench {

    /** Warm-up for the JIT compiler: a server runs for months, so the steady state counts. */
    private static final int WARM_UP = 1500;

    private static final int STARTS = 200;
    private static final int HAND_OFFS = 100;
    private static final int GPUS = 8;
    private static final int CALLERS = 4;

    private final String launcher;
    private final BenchReport report;

    StartBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; a temporary home is created there and
     *     removed
     */
    void run(Path directory, int tasks) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        try (var server = BenchServer.start(launcher, home)) {
            var _ = throughput(server, WARM_UP);
            var floor = new ProcessBaseline(home.resolve("floor.out"));
            report.line("floor: bash -c true", floor.sequential(STARTS).toString());
            double rate = floor.concurrent(GPUS, tasks);
            report.line("floor: 8 side by side", "%.0f/s".formatted(rate));
            try (var client = server.client()) {
                report.line(
                        "submit to first instruction",
                        starts(client, home.resolve("first"), STARTS).toString());
                report.line("hand-off on one GPU", handOffs(client, home).toString());
            }
            double throughputRate = throughput(server, tasks);
            report.line(
                    tasks + " tasks on 8 GPUs",
                    "%.0f/s, %.2f of the floor".formatted(throughputRate, throughputRate / rate));
            report.line("berth ls", report.measureCalls(launcher, home).toString());
            report.measureIdle(server);
        } finally {
            BenchReport.delete(home);
        }
    }

    /** Each task writes the time of its first instruction; both sides use the same clock. */
    static Percentiles starts(BenchServer.Client client, Path file, int count) throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            var begin = Instant.now();
            long task = client.submit("t=$EPOCHREALTIME; echo $t > " + file, "auto", 1);
            client.await(task);
            var first = new BigDecimal(Files.readString(file).strip());
            millis[i] = first.subtract(seconds(begin)).doubleValue() * 1000;
        }
        return Percentiles.of(millis);
    }

    private static BigDecimal seconds(Instant at) {
        return BigDecimal.valueOf(at.getEpochSecond()).add(BigDecimal.valueOf(at.getNano(), 9));
    }

    /** Each task takes all eight GPUs, so that exactly one can run at a time. */
    private static Percentiles handOffs(BenchServer.Client client, Path home) throws IOException {
        var file = home.resolve("turns");
        var ids = new ArrayList<Long>();
        for (int i = 0; i <= HAND_OFFS; i++) {
            ids.add(
                    client.submit(
                            "b=$EPOCHREALTIME; echo $b $EPOCHREALTIME >> " + file, "auto", GPUS));
        }
        client.await(ids.getLast());
        List<String> turns = Files.readAllLines(file);
        var millis = new double[HAND_OFFS];
        for (int i = 0; i < HAND_OFFS; i++) {
            var end = new BigDecimal(turns.get(i).split(" ", -1)[1]);
            var begin = new BigDecimal(turns.get(i + 1).split(" ", -1)[0]);
            millis[i] = begin.subtract(end).doubleValue() * 1000;
        }
        return Percentiles.of(millis);
    }

    private static double throughput(BenchServer server, int tasks) throws IOException {
        return server.throughput(CALLERS, tasks, client -> client.submit("true", "auto", 1));
    }
}
