package dev.berth.app.bench;

import dev.berth.cli.call.Refused;
import dev.berth.cli.link.HttpOverSocket;
import dev.berth.cli.link.Json;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Proc;
import dev.berth.node.process.Signals;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server of our own on a home of its own. */
final class BenchServer implements AutoCloseable {

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Path home;
    private final ProcessKey process;

    private BenchServer(Path home, ProcessKey process) {
        this.home = home;
        this.process = process;
    }

    static BenchServer start(String launcher, Path home) throws IOException {
        var log = home.resolve("serve.out");
        var command =
                List.of(
                        "/usr/bin/env",
                        "bash",
                        launcher,
                        "serve",
                        "--home",
                        home.toString(),
                        "--port",
                        "0",
                        "--gpus",
                        "sim:8x24576",
                        "--quiet");
        var child =
                Spawner.ofThisMachine().spawn(new Spawner.Order(command, log, Optional.empty()));
        var server = new BenchServer(home, Proc.key(Proc.bootId(), child.pid()).orElseThrow());
        try {
            server.awaitReady(log);
            return server;
        } catch (Refused | IOException failure) {
            server.close();
            throw failure;
        }
    }

    private void awaitReady(Path log) throws IOException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (Files.readString(log).lines().noneMatch(line -> line.startsWith("ready "))) {
            if (System.nanoTime() > end || Proc.liveness(process) != Liveness.ALIVE) {
                throw new Refused("the server did not come up:\n" + Files.readString(log));
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    /** One connection; each caller has its own. */
    final class Client implements AutoCloseable {
        private final HttpOverSocket http = new HttpOverSocket();

        long submit(String command, String devices, int cards) throws IOException {
            var body =
                    "{\"name\":\"bench\",\"command\":"
                            + JsonText.of(command)
                            + ",\"devices\":\""
                            + devices
                            + "\",\"gpu_count\":"
                            + cards
                            + ",\"work_dir\":\"/\"}";
            var reply = http.exchange(socket(), Request.post("/api/tasks", body));
            return number(fields(reply), "id");
        }

        /** Tasks of fifty shapes, taken in together. */
        void submitAll(int from, int count) throws IOException {
            var body = new StringBuilder("[");
            for (int i = from; i < from + count; i++) {
                body.append(i == from ? "" : ",")
                        .append("{\"name\":\"bench-")
                        .append(i)
                        .append("\",\"command\":\"python train.py --seed ")
                        .append(i)
                        .append("\",\"memory_gb\":")
                        .append(1 + i % 10)
                        .append(",\"gpu_count\":")
                        .append(1 + i % 5)
                        .append(",\"work_dir\":\"/\"}");
            }
            var request = Request.post("/api/tasks/batch", body.append(']').toString());
            var _ = fields(http.exchange(socket(), request));
        }

        void cancel(long task) throws IOException {
            var _ =
                    fields(
                            http.exchange(
                                    socket(), Request.post("/api/tasks/" + task + "/cancel", "")));
        }

        void await(long task) throws IOException {
            Map<?, ?> detail;
            do {
                detail =
                        fields(
                                http.exchange(
                                        socket(),
                                        Request.get("/api/tasks/" + task + "/wait?seconds=30")
                                                .within(Duration.ofSeconds(60))));
            } while (List.of("queued", "running").contains(String.valueOf(detail.get("status"))));
            if (!"completed".equals(detail.get("status"))) {
                throw new Refused(
                        "task "
                                + task
                                + " ended as "
                                + detail.get("status")
                                + ": "
                                + detail.get("error"));
            }
        }

        /**
         * Until every task has ended; the newest is waited for, and then those that were slower.
         */
        void awaitAll() throws IOException {
            for (var status : List.of("queued", "running")) {
                while (newest(status) instanceof Map<?, ?> task) {
                    await(number(task, "id"));
                }
            }
        }

        private @Nullable Object newest(String status) throws IOException {
            var target = "/api/tasks?limit=1&status=" + status;
            var reply = http.exchange(socket(), Request.get(target));
            try {
                return !reply.isRefusal()
                                && Json.read(reply.body()) instanceof List<?> tasks
                                && !tasks.isEmpty()
                        ? tasks.getFirst()
                        : null;
            } catch (Json.Malformed garbled) {
                throw new Refused("the server sent no JSON: " + garbled.getMessage());
            }
        }

        @Override
        public void close() {
            http.close();
        }
    }

    Client client() {
        return new Client();
    }

    private Path socket() {
        return home.resolve("berth.sock");
    }

    private static Map<?, ?> fields(Reply reply) {
        try {
            if (!reply.isRefusal() && Json.read(reply.body()) instanceof Map<?, ?> map) {
                return map;
            }
        } catch (Json.Malformed _) {
            // Said below.
        }
        throw new Refused("the server answered " + reply.status() + ": " + reply.body());
    }

    private static long number(Map<?, ?> fields, String name) {
        if (fields.get(name) instanceof Json.Numeral(String text)) {
            return Long.parseLong(text);
        }
        throw new Refused("the server did not say " + name);
    }

    /** Resident memory in MiB. */
    long residentMib() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum()
                / 1024;
    }

    /** Processor time used so far, in ticks of 10 ms. */
    long ticks() throws IOException {
        var stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    @Override
    public void close() throws IOException {
        new Signals(Pidfd.supported()).send(process, Signal.TERM);
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (Proc.liveness(process) == Liveness.ALIVE && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }
}
