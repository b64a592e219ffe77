package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A full queue with many clients: the server stays quick and small. Requests are sent at a fixed
 * rate, because clients that send as fast as they can would measure the number of cores. {@code
 * --queued}, {@code --ended}, {@code --streams}, {@code --tails}, {@code --submitters} set how much
 * there is, {@code --submits} and {@code --reads} how many requests a second, {@code --warmup} and
 * {@code --seconds} for how long.
 */
@ExtendWith(ServerHarnessExtension.class)
@Tag("soak-load")
final class LoadSoakTest {

    private static final long MAX_RESIDENT_MIB = 512;
    private static final Duration READ_P99 = Duration.ofMillis(50);
    private static final Duration SUBMIT_P99 = Duration.ofMillis(100);
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private static final String SUBMIT =
            "{\"name\":\"load\",\"command\":\"true\",\"gpu_count\":4,\"priority\":\"LOW\"}";

    private final TimedRequests submits = new TimedRequests("submits", 201);
    private final TimedRequests reads = new TimedRequests("reads", 200);
    private final TimedRequests lists = new TimedRequests("lists of 1000", 200);

    @Test
    void aFullQueueWithManyClientsStaysQuickAndSmall(ServerHarness harness) throws Exception {
        int queued = setting("queued", 100_000);
        int ended = setting("ended", 0);
        long logged = fill(harness, queued, ended);
        harness.launcher().options("--gpus", "sim:4x24576", "--auth", "none");
        long begin = System.nanoTime();
        harness.start();
        System.out.printf(
                "ready after %d ms with %d queued and %d ended: resident %d MiB%n",
                Duration.ofNanos(System.nanoTime() - begin).toMillis(),
                queued,
                ended,
                harness.server().residentKib() >> 10);
        var url = URI.create(harness.url());
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        try (var streams = LoadStreams.open(url, setting("streams", 250), threads)) {
            var warmUp = Duration.ofSeconds(setting("warmup", 60));
            var measured = Duration.ofSeconds(setting("seconds", 60));
            var work = start(url, logged, threads, warmUp, measured);
            long most = watch(harness, warmUp);
            var cpu = CpuTime.read(harness.server().pid());
            most = Math.max(most, watch(harness, measured));
            var used = CpuTime.read(harness.server().pid()).since(cpu);
            for (var one : work) {
                one.get();
            }
            report(warmUp, measured, streams);
            System.out.println("resident at most " + most + " MiB; " + used);
            assertThat(most).as("resident MiB").isLessThanOrEqualTo(MAX_RESIDENT_MIB);
            assertThat(reads.percentile(99)).as("reads p99").isLessThanOrEqualTo(READ_P99);
            assertThat(submits.percentile(99)).as("submits p99").isLessThanOrEqualTo(SUBMIT_P99);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Queued and ended tasks are written to the database; returns a task with a log. */
    private static long fill(ServerHarness harness, int queued, int ended) throws Exception {
        harness.env("BERTH_MAX_QUEUED_PER_USER", "10000000");
        var api = harness.start();
        long logged = api.submit(TaskBuilder.cpu("seq 1 2000"));
        api.awaitEnd(logged);
        api.client().post("/api/scheduler/stop", "").expect(200);
        long waiting = api.submit(TaskBuilder.gpus(4, "python train.py # " + "x".repeat(3_800)));
        harness.server().stop();
        StoredTasks.copy(harness, logged, ended);
        StoredTasks.copy(harness, waiting, queued);
        return logged;
    }

    private List<Future<?>> start(
            URI url, long logged, ExecutorService threads, Duration warmUp, Duration measured) {
        long begin = System.nanoTime() + SECOND_NANOS;
        long counted = begin + warmUp.toNanos();
        long end = counted + measured.toNanos();
        var work = new ArrayList<Future<?>>();
        var submit = HttpConnection.post(url.resolve("/api/tasks"), SUBMIT);
        var submitTimes =
                new TimedRequests.Times(
                        begin, SECOND_NANOS / setting("submits", 100), counted, end);
        int submitters = setting("submitters", 50);
        for (int i = 0; i < submitters; i++) {
            var times = submitTimes.turn(i, submitters);
            work.add(threads.submit(() -> submits.send(url, submit, times)));
        }
        var paths = readPaths(logged);
        var readTimes =
                new TimedRequests.Times(begin, SECOND_NANOS / setting("reads", 300), counted, end);
        for (int i = 0; i < paths.size(); i++) {
            var read = HttpConnection.get(url.resolve(paths.get(i)));
            var times = readTimes.turn(i, paths.size());
            work.add(threads.submit(() -> reads.send(url, read, times)));
        }
        // A list without a limit is long: it is part of the load, not of the time of a read.
        var list = HttpConnection.get(url.resolve("/api/tasks"));
        var listTimes = new TimedRequests.Times(begin, SECOND_NANOS, counted, end);
        work.add(threads.submit(() -> lists.send(url, list, listTimes)));
        return work;
    }

    /** Half of the reads are tails of a log, the others lists, the queue and a task. */
    private static List<String> readPaths(long logged) {
        var paths = new ArrayList<String>();
        int tails = setting("tails", 50);
        for (int i = 0; i < tails; i++) {
            paths.add("/api/tasks/" + logged + "/logs?tail=1000");
            paths.add(
                    List.of("/api/tasks?limit=100", "/api/queue", "/api/tasks/" + logged)
                            .get(i % 3));
        }
        return paths;
    }

    /** The most memory that the server had, in MiB. */
    private static long watch(ServerHarness harness, Duration time) throws InterruptedException {
        long most = 0;
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            assertThat(harness.server().isAlive()).isTrue();
            most = Math.max(most, harness.server().residentKib() >> 10);
            Thread.sleep(Duration.ofMillis(500));
        }
        return most;
    }

    private void report(Duration warmUp, Duration measured, LoadStreams streams) {
        System.out.printf(
                "after %d s of warm-up that do not count, for %d s: %d submits and %d reads a"
                        + " second, %s%n",
                warmUp.toSeconds(),
                measured.toSeconds(),
                setting("submits", 100),
                setting("reads", 300),
                streams);
        System.out.println(submits + "\n" + reads + "\n" + lists);
    }

    private static int setting(String name, int normal) {
        return Integer.getInteger("berth.soak." + name, normal);
    }
}
