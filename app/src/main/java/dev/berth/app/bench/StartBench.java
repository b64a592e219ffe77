package dev.berth.app.bench;

import dev.berth.node.linux.Fifo;
import dev.berth.node.shim.NativeShim;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures Berth's own latency: from a submit to the first instruction, and from one task to the
 * next. Both shims are measured alternately, so that they meet the same machine.
 */
final class StartBench {

    /** Warm-up for the JIT compiler: a server runs for months, so the steady state counts. */
    private static final int WARM_UP = 4000;

    private static final int ROUNDS = 4;
    private static final int STARTS = 50;
    private static final int HAND_OFFS = 25;
    private static final int FLOOR_STARTS = 200;
    private static final int GPUS = 8;
    private static final int CALLERS = 4;

    private final String launcher;
    private final BenchReport report;

    StartBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; temporary homes are created there and
     *     removed
     * @param isBesideSpooler also measures task-spooler
     */
    void run(Path directory, int tasks, boolean isBesideSpooler) throws IOException {
        var root = Files.createTempDirectory(directory, "berth-bench");
        var shims = NativeShim.problem().isEmpty() ? List.of("native", "bash") : List.of("bash");
        var rivals = new ArrayList<Rival>();
        try {
            for (var shim : shims) {
                var home = Files.createTempDirectory(root, shim);
                rivals.add(new Server(shim, home, BenchServer.start(launcher, home, shim)));
            }
            if (isBesideSpooler) {
                rivals.add(new Spooler(TaskSpooler.start(root.resolve("tsp"))));
            }
            measure(root, rivals, tasks);
            var first = (Server) rivals.getFirst();
            report.line("berth ls", report.measureCalls(launcher, first.home).toString());
            report.measureIdle(first.server);
        } finally {
            for (var rival : rivals) {
                rival.close();
            }
            BenchReport.delete(root);
        }
    }

    private void measure(Path root, List<Rival> rivals, int tasks) throws IOException {
        for (var rival : rivals) {
            var _ = rival.throughput(WARM_UP);
        }
        var floor = new ProcessBaseline(root.resolve("floor.out"));
        report.line("floor: bash -c true", floor.sequential(FLOOR_STARTS).toString());
        double rate = floor.concurrent(GPUS, tasks);
        report.line("floor: 8 side by side", "%.0f/s".formatted(rate));
        for (int round = 0; round < ROUNDS; round++) {
            for (var rival : rivals) {
                rival.measureStarts(root.resolve("first"));
                rival.measureHandOffs(root.resolve("turns"));
            }
        }
        for (var rival : rivals) {
            report.line(rival.name + ": start", Percentiles.of(rival.starts()).toString());
            report.line(rival.name + ": hand-off", Percentiles.of(rival.handOffs()).toString());
        }
        for (var rival : rivals) {
            double throughput = rival.throughput(tasks);
            report.line(
                    rival.name + ": " + tasks + " tasks",
                    "%.0f/s, %.2f of the floor".formatted(throughput, throughput / rate));
        }
    }

    /** What starts tasks. Each task writes the time; both sides use the same clock. */
    private abstract static class Rival implements AutoCloseable {
        private final String name;
        private final List<Double> starts = new ArrayList<>();
        private final List<Double> handOffs = new ArrayList<>();

        Rival(String name) {
            this.name = name;
        }

        /** Submits a task and returns when it has ended. */
        abstract void run(String command) throws IOException;

        /** Submits a task that runs when all of these that were submitted before have ended. */
        abstract void queue(String command) throws IOException;

        /** Returns when the last of these has ended. */
        abstract void awaitQueue() throws IOException;

        /** Tasks per second, with eight at a time. */
        abstract double throughput(int tasks) throws IOException;

        @Override
        public abstract void close() throws IOException;

        void measureStarts(Path file) throws IOException {
            for (int i = 0; i < STARTS; i++) {
                var begin = Instant.now();
                run(writeTime(file));
                starts.add(sinceMillis(begin, file));
            }
        }

        /** All tasks are queued before the first one runs: no submit delays a hand-off. */
        void measureHandOffs(Path file) throws IOException {
            Files.deleteIfExists(file);
            var gate = file.resolveSibling("gate");
            Fifo.create(gate);
            queue("read <" + gate);
            for (int i = 0; i <= HAND_OFFS; i++) {
                queue("b=$EPOCHREALTIME; echo $b $EPOCHREALTIME >> " + file);
            }
            Files.writeString(gate, "open\n", StandardOpenOption.WRITE);
            awaitQueue();
            List<String> turns = Files.readAllLines(file);
            for (int i = 0; i < HAND_OFFS; i++) {
                var end = new BigDecimal(turns.get(i).split(" ", -1)[1]);
                var begin = new BigDecimal(turns.get(i + 1).split(" ", -1)[0]);
                handOffs.add(begin.subtract(end).doubleValue() * 1000);
            }
        }

        double[] starts() {
            return starts.stream().mapToDouble(Double::doubleValue).toArray();
        }

        double[] handOffs() {
            return handOffs.stream().mapToDouble(Double::doubleValue).toArray();
        }
    }

    private static final class Server extends Rival {
        private final Path home;
        private final BenchServer server;
        private final BenchServer.Client client;
        private long lastQueued;

        Server(String shim, Path home, BenchServer server) {
            super(shim);
            this.home = home;
            this.server = server;
            this.client = server.client();
        }

        @Override
        void run(String command) throws IOException {
            client.await(client.submit(command, "auto", 1));
        }

        /** All tasks take the same GPU, so that exactly one can run at a time. */
        @Override
        void queue(String command) throws IOException {
            lastQueued = client.submit(command, "0", 1);
        }

        @Override
        void awaitQueue() throws IOException {
            client.await(lastQueued);
        }

        @Override
        double throughput(int tasks) throws IOException {
            return server.throughput(CALLERS, tasks, each -> each.submit("true", "auto", 1));
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
        }
    }

    private static final class Spooler extends Rival {
        private final TaskSpooler spooler;

        Spooler(TaskSpooler spooler) {
            super("tsp");
            this.spooler = spooler;
        }

        @Override
        void run(String command) throws IOException {
            spooler.submit(command);
            spooler.awaitLast();
        }

        @Override
        void queue(String command) throws IOException {
            spooler.submit(command);
        }

        @Override
        void awaitQueue() throws IOException {
            spooler.awaitLast();
        }

        @Override
        double throughput(int tasks) throws IOException {
            spooler.setSlots(GPUS);
            double rate = spooler.throughput(CALLERS, tasks);
            spooler.setSlots(1);
            return rate;
        }

        @Override
        public void close() throws IOException {
            spooler.close();
        }
    }

    private static String writeTime(Path file) {
        return "t=$EPOCHREALTIME; echo $t > " + file;
    }

    private static double sinceMillis(Instant begin, Path file) throws IOException {
        var first = new BigDecimal(Files.readString(file).strip());
        return first.subtract(seconds(begin)).doubleValue() * 1000;
    }

    private static BigDecimal seconds(Instant at) {
        return BigDecimal.valueOf(at.getEpochSecond()).add(BigDecimal.valueOf(at.getNano(), 9));
    }

    /** From the submit to the first instruction of each task. */
    static Percentiles starts(BenchServer.Client client, Path file, int count) throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            var begin = Instant.now();
            client.await(client.submit(writeTime(file), "auto", 1));
            millis[i] = sinceMillis(begin, file);
        }
        return Percentiles.of(millis);
    }
}
