package dev.berth.app.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures the question why a task waits, with a long queue: how long the answer takes, and whether
 * clients that ask delay the start of the next task.
 */
final class WhyBench {

    private static final int BATCH = 1000;
    private static final int GPUS = 8;
    private static final int WARM_UP = 100;
    private static final int QUESTIONS = 300;
    private static final int HAND_OFFS = 100;
    private static final int CLIENTS = 10;

    private final String launcher;
    private final BenchReport report;
    private final Random random = new Random(1);

    WhyBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory a temporary home is created there and removed
     */
    void run(Path directory, int tasks) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        try (var server = BenchServer.start(launcher, home);
                var client = server.client()) {
            var holders = new ArrayList<Long>();
            for (int gpu = 0; gpu < GPUS; gpu++) {
                holders.add(client.submitFirst("exec sleep 3600", gpu));
            }
            long holder = holders.removeLast();
            long first = holder + 1;
            for (int sent = 0; sent < tasks; sent += BATCH) {
                client.submitAll(sent, Math.min(BATCH, tasks - sent));
            }
            var _ = questions(client, first, tasks, WARM_UP);
            report.line("why, a task of " + tasks, questions(client, first, tasks, QUESTIONS));
            report.line("why, the first task", questions(client, first, 1, QUESTIONS));
            var _ = handOffs(server, home, holder);
            report.line("hand-off, nobody asks", handOffs(server, home, lastHolder));
            whileClientsAsk(server, home, first, tasks);
            holders.add(lastHolder);
            client.endAll(holders);
        } finally {
            BenchReport.delete(home);
        }
    }

    /** The task that now holds the GPU of the hand-offs. */
    private long lastHolder;

    private String questions(BenchServer.Client client, long first, int tasks, int count)
            throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            long task = first + random.nextInt(tasks);
            long begin = System.nanoTime();
            client.why(task);
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis).toString();
    }

    /** The tasks of one GPU go before all others; the last one keeps it. */
    private String handOffs(BenchServer server, Path home, long holder) throws IOException {
        var file = home.resolve("turns");
        Files.deleteIfExists(file);
        try (var client = server.client()) {
            var ids = new ArrayList<Long>();
            for (int i = 0; i <= HAND_OFFS; i++) {
                ids.add(
                        client.submitFirst(
                                "b=$EPOCHREALTIME; echo $b $EPOCHREALTIME >> " + file, GPUS - 1));
            }
            lastHolder = client.submitFirst("exec sleep 3600", GPUS - 1);
            client.cancel(holder);
            client.await(ids.getLast());
        }
        List<String> turns = Files.readAllLines(file);
        var millis = new double[HAND_OFFS];
        for (int i = 0; i < HAND_OFFS; i++) {
            var end = new BigDecimal(turns.get(i).split(" ", -1)[1]);
            var begin = new BigDecimal(turns.get(i + 1).split(" ", -1)[0]);
            millis[i] = begin.subtract(end).doubleValue() * 1000;
        }
        return Percentiles.of(millis).toString();
    }

    private void whileClientsAsk(BenchServer server, Path home, long first, int tasks)
            throws IOException {
        var isOver = new AtomicBoolean();
        var answers = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(CLIENTS)) {
            var asking = new ArrayList<Future<?>>();
            for (int i = 0; i < CLIENTS; i++) {
                var seeded = new Random(i);
                asking.add(
                        threads.submit(
                                () -> {
                                    try (var client = server.client()) {
                                        while (!isOver.get()) {
                                            client.why(first + seeded.nextInt(tasks));
                                            answers.incrementAndGet();
                                        }
                                    } catch (IOException failure) {
                                        throw new UncheckedIOException("asking why", failure);
                                    }
                                }));
            }
            long begin = System.nanoTime();
            var times = handOffs(server, home, lastHolder);
            double seconds = (System.nanoTime() - begin) / 1e9;
            isOver.set(true);
            for (var one : asking) {
                one.get();
            }
            report.line(
                    "hand-off, 10 clients ask",
                    "%s, %.0f answers/s".formatted(times, answers.get() / seconds));
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException("a client that asks failed", failure);
        }
    }
}
