package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A full queue with many clients: the server stays quick and small. {@code --queued}, {@code
 * --ended}, {@code --streams}, {@code --tails}, {@code --submitters} and {@code --seconds} set the
 * load.
 */
@ExtendWith(ServerHarnessExtension.class)
@Tag("soak-load")
final class LoadSoakTest {

    private static final int READERS = 4;
    private static final long MAX_RESIDENT_MIB = 512;
    private static final Duration READ_P99 = Duration.ofMillis(50);
    private static final Duration SUBMIT_P99 = Duration.ofMillis(100);
    private static final Duration SUBMIT_PAUSE = Duration.ofMillis(500);
    private static final Duration READ_PAUSE = Duration.ofMillis(50);
    private static final Duration TAIL_PAUSE = Duration.ofSeconds(1);

    private static final String SUBMIT =
            "{\"name\":\"load\",\"command\":\"true\",\"gpu_count\":4,\"priority\":\"LOW\"}";

    private final List<Long> readNanos = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> submitNanos = Collections.synchronizedList(new ArrayList<>());
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private volatile boolean isOver;

    @Test
    void aFullQueueWithManyClientsStaysQuickAndSmall(ServerHarness harness) throws Exception {
        int queued = setting("queued", 100_000);
        int ended = setting("ended", 0);
        long logged = fill(harness, queued, ended);
        harness.jvm("-Xmx320m").options("--gpus", "sim:4x24576", "--auth", "none");
        var api = harness.start();
        var url = ((TcpTestClient) api.client()).url();
        long resident = harness.server().residentKib() >> 10;
        System.out.println("started with " + queued + " queued: resident " + resident + " MiB");

        var sockets = new ArrayList<Socket>();
        var work = new ArrayList<Future<?>>();
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            openStreams(url, threads, sockets);
            start(url, logged, threads, work);
            long most = watch(harness, Duration.ofSeconds(setting("seconds", 60)));
            isOver = true;
            for (var one : work) {
                one.get();
            }
            report(most);
            assertThat(most).as("resident MiB").isLessThanOrEqualTo(MAX_RESIDENT_MIB);
            assertThat(percentile(readNanos, 99)).as("reads p99").isLessThanOrEqualTo(READ_P99);
            assertThat(percentile(submitNanos, 99))
                    .as("submits p99")
                    .isLessThanOrEqualTo(SUBMIT_P99);
        } finally {
            isOver = true;
            for (var socket : sockets) {
                socket.close();
            }
            threads.shutdownNow();
        }
    }

    /** Queued and ended tasks come by SQL; returns a task with a log. */
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

    private static void openStreams(String url, ExecutorService threads, List<Socket> sockets)
            throws IOException {
        var address = URI.create(url);
        int streams = setting("streams", 250);
        for (int i = 0; i < streams; i++) {
            var socket = new Socket();
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
            socket.getOutputStream()
                    .write(
                            ("GET /api/events HTTP/1.1\r\nHost: "
                                            + address.getHost()
                                            + "\r\nAccept: text/event-stream\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            sockets.add(socket);
            if (i % 2 == 0) {
                var _ = threads.submit(() -> drain(socket));
            }
        }
    }

    /** Reads a stream as fast as it comes. */
    private static long drain(Socket socket) {
        long bytes = 0;
        try (var in = socket.getInputStream()) {
            var buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes += read;
            }
        } catch (IOException _) {
            // The test closes the socket.
        }
        return bytes;
    }

    private void start(String url, long logged, ExecutorService threads, List<Future<?>> work) {
        var submit =
                HttpRequest.newBuilder(URI.create(url + "/api/tasks"))
                        .POST(HttpRequest.BodyPublishers.ofString(SUBMIT))
                        .header("Content-Type", "application/json")
                        .build();
        for (int i = 0; i < setting("submitters", 50); i++) {
            work.add(threads.submit(() -> repeat(submit, 201, submitNanos, SUBMIT_PAUSE)));
        }
        var tail = get(url + "/api/tasks/" + logged + "/logs?tail=1000");
        for (int i = 0; i < setting("tails", 50); i++) {
            work.add(threads.submit(() -> repeat(tail, 200, readNanos, TAIL_PAUSE)));
        }
        for (int i = 0; i < READERS; i++) {
            for (var path : List.of("/api/tasks?limit=100", "/api/queue", "/api/tasks/" + logged)) {
                work.add(threads.submit(() -> repeat(get(url + path), 200, readNanos, READ_PAUSE)));
            }
        }
        // A list without a limit is long: it counts for the memory, not for the time of a read.
        var list = get(url + "/api/tasks");
        work.add(threads.submit(() -> repeat(list, 200, new ArrayList<>(), TAIL_PAUSE)));
    }

    private static HttpRequest get(String url) {
        return HttpRequest.newBuilder(URI.create(url)).build();
    }

    private boolean repeat(HttpRequest request, int status, List<Long> nanos, Duration pause)
            throws Exception {
        while (!isOver) {
            long began = System.nanoTime();
            var reply = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            nanos.add(System.nanoTime() - began);
            assertThat(reply.statusCode()).isEqualTo(status);
            Thread.sleep(pause);
        }
        return true;
    }

    /** The most memory that the server had, in MiB. */
    private static long watch(ServerHarness harness, Duration time) throws InterruptedException {
        long most = 0;
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            assertThat(harness.server().isAlive()).isTrue();
            most = Math.max(most, harness.server().residentKib() >> 10);
            Thread.sleep(Duration.ofMillis(200));
        }
        return most;
    }

    private void report(long most) {
        System.out.printf(
                "reads %d p50 %d ms p99 %d ms, submits %d p50 %d ms p99 %d ms, resident %d MiB%n",
                readNanos.size(),
                percentile(readNanos, 50).toMillis(),
                percentile(readNanos, 99).toMillis(),
                submitNanos.size(),
                percentile(submitNanos, 50).toMillis(),
                percentile(submitNanos, 99).toMillis(),
                most);
    }

    private static Duration percentile(List<Long> nanos, int percent) {
        var sorted = nanos.stream().sorted().toList();
        return Duration.ofNanos(sorted.get((sorted.size() - 1) * percent / 100));
    }

    private static int setting(String name, int normal) {
        return Integer.getInteger("berth.soak." + name, normal);
    }
}
