package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A home with two GPUs on which models are loaded, run up to a failpoint at which the server is
 * killed. One case follows the other: the server that recovered from one is killed in the next.
 */
final class WorkerCrashScenario {

    /** When the failpoint is armed; it is the next one reached from there. */
    enum ArmTime {
        /** Before a task for a model that no worker has loaded. */
        LOAD,
        /** Before a task for a worker without work. */
        DISPATCH,
        /** When a worker is about to answer. */
        RESULT,
        /** Before a task that needs the memory of a worker without work. */
        EVICT,
        /** Before a restart that finds workers of the killed server, with and without work. */
        RECOVERY
    }

    /**
     * Answers each task when a file exists that has the name of its task type. It does not read
     * while it waits, so it does not notice the end of its server.
     */
    private static final String WORKER =
            """
            echo '{"type":"ready"}'
            while IFS= read -r line; do
                [[ $line == '{"type":"run"'* ]] || continue
                task=${line#*'"task":'} && task=${task%%[,\\}]*}
                gate=${line#*'"task_type":"'} && gate=${gate%%\\"*}
                while read -r _ earlier pid; do
                    [[ $earlier == "$task" ]] && kill -0 "$pid" && echo "twice $task $$" >>"$FILES/runs"
                done <"$FILES/runs"
                echo "begin $task $$" >>"$FILES/runs"
                until [[ -e $FILES/$gate ]]; do sleep 0.02; done
                echo "{\\"type\\":\\"result\\",\\"task\\":$task,\\"value\\":null}"
            done
            """;

    private static final AtomicInteger KEYS = new AtomicInteger();

    private final ServerHarness harness;

    /** The task that a worker runs while the server is killed. It may be retried. */
    private long kept;

    private String gate = "open";
    private String request = "";
    private CompletableFuture<Long> submitted = new CompletableFuture<>();
    private List<LeftoverProcesses.LeftoverProcess> killedServersProcesses = List.of();

    WorkerCrashScenario(ServerHarness harness) {
        this.harness = harness;
        try {
            var worker = Files.writeString(harness.file("worker.sh"), WORKER);
            Files.createFile(harness.file("runs"));
            open("open");
            harness.simulatedGpus(2).configure(configuration(worker));
        } catch (IOException e) {
            throw new UncheckedIOException("preparing workers", e);
        }
        harness.env("BERTH_STOP_GRACE_SECONDS", "1").start();
    }

    private static String configuration(Path worker) {
        var model =
                "{worker: \"exec bash %s\", memory_mb: 8000, env: [FILES=%s]}"
                        .formatted(worker, worker.getParent());
        return "models: {kept: " + model + ", other: " + model + "}\n";
    }

    /** Advances to the failpoint, kills the server there and starts the next one. */
    TestApi killAt(String name, ArmTime stage) {
        var point = harness.failpoint(name);
        var api = harness.api();
        gate = "gate" + KEYS.incrementAndGet();
        kept =
                api.client()
                        .post("/api/tasks", call("kept", gate, 2))
                        .expect(201)
                        .path("id")
                        .asLong();
        awaitBegin(kept);
        prepare(api, stage);
        point.arm();
        switch (stage) {
            case LOAD, DISPATCH -> submitAside(call("other", "open", 0));
            case RESULT -> open("answer-" + gate);
            case EVICT ->
                    submitAside(
                            TaskBuilder.oneGpu(
                                            "echo begin %s $$ >>%s"
                                                    .formatted(gate, harness.file("runs")))
                                    .with("memory_gb", 20)
                                    .body());
            case RECOVERY -> {
                harness.kill();
                harness.launch();
            }
        }
        point.awaitHit();
        killedServersProcesses = harness.leftovers();
        harness.kill();
        point.release();
        var next = harness.start();
        open(gate);
        open("answer-" + gate);
        return next;
    }

    private void prepare(TestApi api, ArmTime stage) {
        switch (stage) {
            case LOAD -> {
                api.client().post("/api/models/other/unload", "{}").expect(200);
                eventually(
                        "no worker of the model is left",
                        () ->
                                api.client()
                                        .get("/api/models/other")
                                        .expect(200)
                                        .path("workers")
                                        .isEmpty());
            }
            case DISPATCH, EVICT ->
                    api.awaitEnd(
                            api.client()
                                    .post("/api/tasks", call("other", "open", 0))
                                    .expect(201)
                                    .path("id")
                                    .asLong());
            case RESULT, RECOVERY -> {
                submitAside(call("other", "answer-" + gate, 0));
                awaitBegin(submitted.join());
            }
        }
    }

    private void awaitBegin(long task) {
        eventually("a worker runs task " + task, () -> begins(task) == 1);
        harness.api().awaitPhase(task, "running");
    }

    private static String call(String model, String gate, int retries) {
        return "{\"name\":\"call\",\"model_name\":\"%s\",\"task_type\":\"%s\",\"params\":{},\"max_retries\":%d}"
                .formatted(model, gate, retries);
    }

    private void submitAside(String body) {
        request = body;
        var key = Map.of("Idempotency-Key", "key-" + gate);
        submitted =
                CompletableFuture.supplyAsync(() -> submit(body, key), Thread::startVirtualThread);
    }

    /** The answer to a repeated request is 200. */
    private long submit(String body, Map<String, String> headers) {
        var reply = harness.api().client().post("/api/tasks", body, headers);
        return reply.expect(reply.status() == 200 ? 200 : 201).path("id").asLong();
    }

    long kept() {
        return kept;
    }

    /** The other task. A client that got no answer repeats its request. */
    long other() {
        try {
            return submitted.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException) {
                return submit(request, Map.of("Idempotency-Key", "key-" + gate));
            }
            throw e;
        }
    }

    /** How often a worker has begun a task. */
    long begins(long task) {
        return lines("begin " + task + " ").size();
    }

    /** How often the other task has begun. */
    long begins(long other, ArmTime stage) {
        return stage == ArmTime.EVICT ? lines("begin " + gate + " ").size() : begins(other);
    }

    /** What the workers recorded. */
    List<String> lines(String prefix) {
        try (var lines = Files.lines(harness.file("runs"))) {
            return lines.filter(line -> line.startsWith(prefix)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("reading what ran", e);
        }
    }

    /** The processes of the killed server that are still alive. */
    List<LeftoverProcesses.LeftoverProcess> left() {
        return killedServersProcesses.stream()
                .filter(process -> LeftoverProcesses.isAlive(process.pid()))
                .toList();
    }

    private void open(String name) {
        TaskLifecycleTest.touch(harness.file(name));
    }
}
