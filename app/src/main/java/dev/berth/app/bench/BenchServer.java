package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.UnixSocketHttpClient;
import dev.berth.core.task.ProcessKey;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Proc;
import dev.berth.node.process.Signals;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server process on a home of its own, for benchmarks. */
final class BenchServer implements AutoCloseable {

    private static final int GPUS = 8;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Where a process's own times are in its {@code stat}; those of its children follow. */
    private static final int OWN_TIMES = 11;

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** For requests that start thousands of tasks. */
    private static final Duration START = Duration.ofSeconds(60);

    private final Path socket;
    private final Optional<String> owner;
    private final ProcessKey process;

    /**
     * @param owner of all tasks, if it is not the caller
     */
    private BenchServer(Path socket, Optional<String> owner, ProcessKey process) {
        this.socket = socket;
        this.owner = owner;
        this.process = process;
    }

    static BenchServer start(String launcher, Path home) throws IOException {
        return start(launcher, home, "auto");
    }

    /**
     * @param shim that starts its tasks, as in the configuration
     */
    static BenchServer start(String launcher, Path home, String shim) throws IOException {
        return start(launcher, home, shim, GPUS);
    }

    static BenchServer start(String launcher, Path home, int gpus) throws IOException {
        return start(launcher, home, "auto", gpus);
    }

    private static BenchServer start(String launcher, Path home, String shim, int gpus)
            throws IOException {
        return start(
                List.of("/usr/bin/env", "BERTH_SHIM=" + shim, "bash", launcher),
                List.of("--home", home.toString(), "--gpus", "sim:" + gpus + "x24576"),
                home.resolve("serve.out"),
                home.resolve("berth.sock"),
                Optional.empty());
    }

    /**
     * A server that hands its tasks to Slurm.
     *
     * @param variables of its environment, as {@code NAME=VALUE}
     */
    static BenchServer startSlurm(String launcher, Path home, List<String> variables)
            throws IOException {
        return startSlurm(List.of(), launcher, home, variables);
    }

    /** The same as another user. */
    static BenchServer startSlurm(List<String> asUser, String launcher, Path home)
            throws IOException {
        return startSlurm(asUser, launcher, home, List.of());
    }

    private static BenchServer startSlurm(
            List<String> asUser, String launcher, Path home, List<String> variables)
            throws IOException {
        var command = new ArrayList<>(asUser);
        command.add("/usr/bin/env");
        command.addAll(variables);
        command.addAll(List.of("bash", launcher, "serve", "--home", home.toString()));
        command.addAll(List.of("--port", "0", "--quiet"));
        return start(
                command, home.resolve("serve.out"), home.resolve("berth.sock"), Optional.empty());
    }

    /** A server of the machine, whose node is measured. */
    static BenchServer startSystem(String launcher, Path state, String owner) throws IOException {
        return start(
                List.of("/usr/bin/env", "bash", launcher),
                List.of(
                        "--system",
                        "--state",
                        state.toString(),
                        "--server-user",
                        "nobody",
                        "--gpus",
                        "sim:" + GPUS + "x24576"),
                state.resolveSibling("serve.out"),
                state.resolve("run/berth.sock"),
                Optional.of(owner));
    }

    private static BenchServer start(
            List<String> program, List<String> place, Path log, Path socket, Optional<String> owner)
            throws IOException {
        var command = new ArrayList<>(program);
        command.add("serve");
        command.addAll(place);
        command.addAll(List.of("--port", "0", "--quiet"));
        return start(command, log, socket, owner);
    }

    private static BenchServer start(
            List<String> command, Path log, Path socket, Optional<String> owner)
            throws IOException {
        // What an earlier server of this home wrote.
        Files.deleteIfExists(log);
        var child =
                Spawner.forThisHost()
                        .spawn(new Spawner.SpawnRequest(command, log, Optional.empty()));
        var server =
                new BenchServer(socket, owner, Proc.key(Proc.bootId(), child.pid()).orElseThrow());
        try {
            server.awaitReady(log);
            return server;
        } catch (CommandFailure | IOException failure) {
            server.close();
            throw failure;
        }
    }

    private void awaitReady(Path log) throws IOException {
        long end = System.nanoTime() + TIMEOUT_NANOS;
        while (Files.readString(log).lines().noneMatch(line -> line.startsWith("ready "))) {
            if (System.nanoTime() > end || Proc.liveness(process) != Liveness.ALIVE) {
                throw new CommandFailure("the server did not start:\n" + Files.readString(log));
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** One connection; each thread uses its own. */
    final class Client implements AutoCloseable {
        private final UnixSocketHttpClient http = new UnixSocketHttpClient();

        long submit(String command, String devices, int gpuCount) throws IOException {
            var body =
                    "{\"name\":\"bench\",\"command\":"
                            + JsonWriter.write(command)
                            + ",\"devices\":\""
                            + devices
                            + "\",\"gpu_count\":"
                            + gpuCount
                            + owner.map(name -> ",\"owner\":" + JsonWriter.write(name)).orElse("")
                            + ",\"work_dir\":\"/\"}";
            var reply = http.exchange(socket(), ApiRequest.post("/api/tasks", body));
            return number(fields(reply), "id");
        }

        /** Submits a task that goes before all others, on one GPU. */
        long submitFirst(String command, int gpu) throws IOException {
            var body =
                    "{\"name\":\"bench\",\"command\":"
                            + JsonWriter.write(command)
                            + ",\"devices\":\""
                            + gpu
                            + "\",\"priority\":\"CRITICAL\",\"work_dir\":\"/\"}";
            var reply = http.exchange(socket(), ApiRequest.post("/api/tasks", body));
            return number(fields(reply), "id");
        }

        /** Reads a resource. */
        void get(String path) throws IOException {
            send(ApiRequest.get(path));
        }

        /** Sends a request without an answer of interest. */
        void post(String path, String body) throws IOException {
            send(ApiRequest.post(path, body).withTimeout(START));
        }

        /**
         * Starts the lanes of a command file.
         *
         * @return the number of the run
         */
        long startRun(String body) throws IOException {
            var request = ApiRequest.post("/api/scheduler/single/start", body);
            return number(fields(http.exchange(socket(), request.withTimeout(START))), "pid");
        }

        private void send(ApiRequest request) throws IOException {
            var reply = http.exchange(socket(), request);
            if (reply.isError()) {
                throw new CommandFailure(
                        "the server answered " + reply.status() + ": " + reply.body());
            }
        }

        /** Submits equal tasks in one batch. */
        void submitEqual(String command, int count) throws IOException {
            var one =
                    "{\"name\":\"bench\",\"command\":"
                            + JsonWriter.write(command)
                            + ",\"work_dir\":\"/\"}";
            post("/api/tasks/batch", "[" + String.join(",", Collections.nCopies(count, one)) + "]");
        }

        /** Asks why a task waits. */
        void why(long task) throws IOException {
            var _ = fields(http.exchange(socket(), ApiRequest.get("/api/tasks/" + task + "/why")));
        }

        void saveModel(String name, String worker) throws IOException {
            var body = "{\"worker\":" + JsonWriter.write(worker) + ",\"memory_mb\":1000}";
            var _ = fields(http.exchange(socket(), ApiRequest.put("/api/models/" + name, body)));
        }

        /** Returns when no worker is left. */
        void unloadModel(String name) throws IOException {
            var path = "/api/models/" + name;
            var _ = fields(http.exchange(socket(), ApiRequest.post(path + "/unload", "{}")));
            while (fields(http.exchange(socket(), ApiRequest.get(path))).get("workers")
                            instanceof List<?> workers
                    && !workers.isEmpty()) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }

        /** Submits a task that a worker of the model runs. */
        long callModel(String name) throws IOException {
            var body = "{\"name\":\"bench\",\"model_name\":\"" + name + "\"}";
            var reply = http.exchange(socket(), ApiRequest.post("/api/tasks", body));
            return number(fields(reply), "id");
        }

        /** Submits tasks of fifty shapes in one batch. */
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
            var request = ApiRequest.post("/api/tasks/batch", body.append(']').toString());
            var _ = fields(http.exchange(socket(), request));
        }

        void cancel(long task) throws IOException {
            var _ =
                    fields(
                            http.exchange(
                                    socket(),
                                    ApiRequest.post("/api/tasks/" + task + "/cancel", "")));
        }

        /**
         * Ends these tasks and starts no other, so that no process is left and no file appears
         * while the home is removed.
         */
        void endAll(List<Long> tasks) throws IOException {
            var _ = fields(http.exchange(socket(), ApiRequest.post("/api/scheduler/stop", "")));
            for (long task : tasks) {
                cancel(task);
            }
            for (long task : tasks) {
                var _ = awaitEnd(task);
            }
        }

        private Map<?, ?> awaitEnd(long task) throws IOException {
            var request =
                    ApiRequest.get("/api/tasks/" + task + "/wait?seconds=30")
                            .withTimeout(Duration.ofSeconds(60));
            Map<?, ?> detail;
            do {
                detail = fields(http.exchange(socket(), request));
            } while (List.of("queued", "running").contains(String.valueOf(detail.get("status"))));
            return detail;
        }

        void awaitCancelled(long task) throws IOException {
            var detail = awaitEnd(task);
            if (!"cancelled".equals(detail.get("status"))) {
                throw new CommandFailure("task " + task + " ended as " + detail.get("status"));
            }
        }

        void await(long task) throws IOException {
            var detail = awaitEnd(task);
            if (!"completed".equals(detail.get("status"))) {
                throw new CommandFailure(
                        "task "
                                + task
                                + " ended as "
                                + detail.get("status")
                                + ": "
                                + detail.get("error"));
            }
        }

        /**
         * Returns when every task has ended. Waits for the newest task first, then for slower ones.
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
            var reply = http.exchange(socket(), ApiRequest.get(target));
            try {
                return !reply.isError()
                                && JsonParser.parse(reply.body()) instanceof List<?> tasks
                                && !tasks.isEmpty()
                        ? tasks.getFirst()
                        : null;
            } catch (JsonParser.MalformedJson garbled) {
                throw new CommandFailure("the server sent no JSON: " + garbled.getMessage());
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

    /** Submits one task and returns its id. */
    interface Submission {
        long submit(Client client) throws IOException;
    }

    /**
     * Several callers submit as fast as possible; the measurement ends with the last task.
     *
     * @return tasks per second
     */
    double throughput(int callers, int tasks, Submission submission) throws IOException {
        long begin = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(callers)) {
            var shares = new ArrayList<Future<?>>();
            for (int caller = 0; caller < callers; caller++) {
                int share = tasks / callers + (caller < tasks % callers ? 1 : 0);
                shares.add(threads.submit(() -> submitAll(share, submission)));
            }
            for (var share : shares) {
                share.get();
            }
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException("the throughput run failed", failure);
        }
        try (var client = client()) {
            client.awaitAll();
        }
        return tasks / ((System.nanoTime() - begin) / 1e9);
    }

    private void submitAll(int count, Submission submission) {
        try (var client = client()) {
            for (int i = 0; i < count; i++) {
                var _ = submission.submit(client);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("submitting", failure);
        }
    }

    private Path socket() {
        return socket;
    }

    private static Map<?, ?> fields(ApiReply reply) {
        try {
            if (!reply.isError() && JsonParser.parse(reply.body()) instanceof Map<?, ?> map) {
                return map;
            }
        } catch (JsonParser.MalformedJson _) {
            // Reported below.
        }
        throw new CommandFailure("the server answered " + reply.status() + ": " + reply.body());
    }

    private static long number(Map<?, ?> fields, String name) {
        if (fields.get(name) instanceof JsonParser.JsonNumber(String text)) {
            return Long.parseLong(text);
        }
        throw new CommandFailure("the server did not print " + name);
    }

    /** Resident memory in MiB. */
    long residentMib() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum()
                / 1024;
    }

    /** CPU time used so far, in ticks of 10 ms. */
    long ticks() throws IOException {
        return ticks(process.pid(), false);
    }

    /** The same, with that of the programs that it has run. */
    long ticksWithChildren() throws IOException {
        return ticks(process.pid(), true);
    }

    static long ticks(long pid, boolean hasChildren) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = 0;
        for (int i = OWN_TIMES; i < OWN_TIMES + (hasChildren ? 4 : 2); i++) {
            ticks += Long.parseLong(fields[i]);
        }
        return ticks;
    }

    @Override
    public void close() throws IOException {
        end(Signal.TERM);
    }

    /** Ends it without any warning. */
    void kill() throws IOException {
        end(Signal.KILL);
    }

    private void end(Signal signal) throws IOException {
        new Signals(Pidfd.isSupported()).send(process, signal);
        long end = System.nanoTime() + TIMEOUT_NANOS;
        while (Proc.liveness(process) == Liveness.ALIVE && System.nanoTime() < end) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
