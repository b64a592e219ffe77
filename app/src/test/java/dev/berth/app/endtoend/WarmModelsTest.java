package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Real workers keep models loaded, and their faults hurt nobody else. */
@ExtendWith(ServerHarnessExtension.class)
final class WarmModelsTest {

    /** Speaks the protocol without the SDK, and misbehaves as its parameters say. */
    private static final String WORKER =
            """
            import json, os, sys, time
            def say(**message):
                print(json.dumps(message), flush=True)
            time.sleep(float(os.environ.get("LOAD_SECONDS", "0")))
            if "NEVER_READY" in os.environ:
                time.sleep(1000)
            say(type="ready")
            for line in sys.stdin:
                message = json.loads(line)
                if message["type"] == "ping":
                    say(type="pong")
                if message["type"] != "run":
                    continue
                task, params = message["task"], message["params"]
                with open(os.environ["RUNS"], "a") as runs:
                    runs.write(f"begin {task} {os.getpid()}\\n")
                if "garbage" in params:
                    print("not a message", flush=True)
                    time.sleep(1000)
                if "long" in params:
                    print("x" * 100_000_000, flush=True)
                    time.sleep(1000)
                if "exit" in params:
                    os._exit(params["exit"])
                time.sleep(params.get("sleep", 0))
                if "oom" in params:
                    say(type="error", task=task, error_type="OOM", message="CUDA out of memory")
                    continue
                say(type="log", task=task, line="the parameters are " + json.dumps(params))
                say(type="progress", task=task, done=1, total=2)
                with open(os.environ["RUNS"], "a") as runs:
                    runs.write(f"end {task} {os.getpid()}\\n")
                say(type="result", task=task, value={"pid": os.getpid(), "n": params.get("n"),
                    "gpu": os.environ["CUDA_VISIBLE_DEVICES"], "task_type": message.get("task_type")})
            """;

    private Path runs = Path.of("/nowhere");

    private ServerHarness with(ServerHarness harness, int gpus, String yaml, String... models)
            throws IOException {
        var worker = Files.writeString(harness.file("worker.py"), WORKER);
        runs = harness.file("runs");
        Files.createFile(runs);
        var all = new StringBuilder(yaml).append("models:\n");
        for (var model : models) {
            all.append("  ")
                    .append(model)
                    .append(": {worker: \"exec python3 ")
                    .append(worker)
                    .append("\", memory_mb: 6000, env: [RUNS=")
                    .append(runs)
                    .append(", LOAD_SECONDS=1]}\n");
        }
        return harness.simulatedGpus(gpus).configure(all.toString());
    }

    private static long submit(TestApi api, String model, String params, String more) {
        var body =
                "{\"name\":\"call\",\"model_name\":\"%s\",\"task_type\":\"optimization\",\"params\":%s%s}"
                        .formatted(model, params, more);
        return api.client().post("/api/tasks", body).expect(201).path("id").asLong();
    }

    private static JsonNode run(TestApi api, String model, String params) {
        return api.awaitEnd(submit(api, model, params, ""));
    }

    private static JsonNode completed(JsonNode task) {
        assertThat(task.path("status").asString()).as("%s", task).isEqualTo("completed");
        return task.path("result");
    }

    private static JsonNode model(TestApi api, String name) {
        return api.client().get("/api/models/" + name).expect(200);
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    @Test
    void aModelIsLoadedOnceAndTheNextTaskFindsIt(ServerHarness harness) throws IOException {
        var api = with(harness, 2, "", "mace").start();

        var first = run(api, "mace", "{\"n\": 500}");
        var result = completed(first);
        assertThat(result.path("n").asInt()).isEqualTo(500);
        assertThat(result.path("gpu").asString()).isEqualTo("0");
        assertThat(result.path("task_type").asString()).isEqualTo("optimization");
        assertThat(api.log(first.path("id").asLong(), 10))
                .containsExactly("the parameters are {\"n\": 500}");
        var second = completed(run(api, "mace", "{\"n\": 1794835250.5}"));
        assertThat(api.client().get("/api/tasks/3").body())
                .as("numbers keep their form")
                .contains("\"n\":1794835250.5");

        assertThat(second.path("pid")).isEqualTo(result.path("pid"));
        var model = model(api, "mace");
        assertThat(model.path("hits").asInt()).isEqualTo(1);
        assertThat(model.path("misses").asInt()).isEqualTo(1);
        assertThat(model.path("load_seconds").asDouble()).isGreaterThan(1);
        assertThat(model.path("run_seconds").asDouble()).isBetween(0.0, 1.0);
        assertThat(model.path("failed_task_id").isNull()).isTrue();
        var worker = model.path("workers").path(0);
        assertThat(worker.path("status").asString()).isEqualTo("idle");
        assertThat(api.tasks()).as("a worker is not among the tasks of people").hasSize(2);
        var gpu = api.client().get("/api/workers").expect(200).path(0);
        assertThat(gpu.path("name").asString()).isEqualTo("worker-gpu-0");
        assertThat(gpu.path("last_heartbeat").isNull()).isFalse();
        assertThat(api.gpus().getFirst().path("loaded_models").toString()).isEqualTo("[\"mace\"]");
        assertThat(api.gpus().getFirst().path("status").asString()).isEqualTo("free");
    }

    @Test
    void theLeastRecentlyUsedWorkerLeavesBeforeTheNextModelLoads(ServerHarness harness)
            throws IOException {
        var api = with(harness, 1, "", "a", "b", "c").start();

        completed(run(api, "a", "{}"));
        long pidOfB = completed(run(api, "b", "{}")).path("pid").asLong();
        completed(run(api, "a", "{}"));
        assertThat(isAlive(pidOfB)).isTrue();
        completed(run(api, "c", "{}"));

        assertThat(isAlive(pidOfB)).isFalse();
        var gpu = api.gpus().getFirst();
        assertThat(gpu.path("loaded_models").toString()).isEqualTo("[\"a\",\"c\"]");
        assertThat(gpu.path("memory_used_mb").asInt()).isEqualTo(12_000);
        assertThat(model(api, "b").path("evictions").asInt()).isEqualTo(1);
    }

    @Test
    void aTaskThatNeedsTheMemoryGetsIt(ServerHarness harness) throws IOException {
        var api = with(harness, 1, "", "mace").start();
        long pid = completed(run(api, "mace", "{}")).path("pid").asLong();

        completed(api.awaitEnd(api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 10))));
        assertThat(isAlive(pid)).as("both fit").isTrue();
        long large = api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 20));
        completed(api.awaitEnd(large));

        assertThat(isAlive(pid)).isFalse();
        assertThat(api.events("worker.unloading")).hasSize(1);
    }

    @Test
    void aFaultyWorkerFailsItsTaskWithTheReasonAndIsReplaced(ServerHarness harness)
            throws IOException {
        var api = with(harness, 1, "", "mace").start();

        assertThat(run(api, "mace", "{\"garbage\": 1}").path("error").asString())
                .isEqualTo("Worker offline: printed a line that is not a message: not a message");
        completed(run(api, "mace", "{}"));
        assertThat(run(api, "mace", "{\"long\": 1}").path("error").asString())
                .contains("Worker offline: printed a line of more than 1114112 bytes");
        completed(run(api, "mace", "{}"));
        var exited = run(api, "mace", "{\"exit\": 7}");
        assertThat(exited.path("error").asString()).isEqualTo("Worker offline: exit code 7");
        assertThat(exited.path("error_type").asString()).isEqualTo("worker_offline");
        completed(run(api, "mace", "{}"));
        var memory = run(api, "mace", "{\"oom\": 1}");
        assertThat(memory.path("error").asString()).isEqualTo("CUDA out of memory");
        assertThat(model(api, "mace").path("memory_mb").asInt()).isEqualTo(7200);
    }

    @Test
    void aModelThatNeverWorksIsSetAsideUntilItIsLoadedByHand(ServerHarness harness)
            throws IOException {
        var api = with(harness, 1, "", "other").start();
        api.client()
                .put("/api/models/broken", "{\"worker\":\"echo the model is missing >&2; exit 3\"}")
                .expect(200);

        for (int i = 0; i < 3; i++) {
            assertThat(run(api, "broken", "{}").path("error").asString())
                    .contains("Worker offline: exit code 3");
        }
        long waiting = submit(api, "broken", "{}", "");
        eventually(
                "its reason names the model",
                () -> api.waitReasonCodes(waiting).contains("card.model_set_aside"));
        assertThat(api.events("alert.model_set_aside")).hasSize(1);
        assertThat(model(api, "broken").path("set_aside").asString()).contains("exit code 3");
        long failedWorker = model(api, "broken").path("failed_task_id").asLong();
        assertThat(api.log(failedWorker, 20)).contains("the model is missing");
        api.client().put("/api/models/broken", "{\"worker\":\"exit 4\"}").expect(200);
        assertThat(api.awaitEnd(waiting).path("error").asString()).contains("exit code 4");
        assertThat(model(api, "broken").path("failed_task_id").asLong())
                .isGreaterThan(failedWorker);
    }

    @Test
    void aSilentWorkerIsEndedAndItsGpuComesBackWithTheNext(ServerHarness harness)
            throws IOException {
        var heartbeats =
                "scheduler: {worker_heartbeat_interval_seconds: 1,"
                        + " worker_heartbeat_timeout_seconds: 3}\n";
        var api = with(harness, 1, heartbeats, "mace").start();
        long pid = completed(run(api, "mace", "{}")).path("pid").asLong();
        long task = submit(api, "mace", "{\"sleep\": 1000}", "");
        api.awaitPhase(task, "running");

        signal(pid, "STOP");

        assertThat(api.awaitEnd(task).path("error").asString()).isEqualTo("Worker offline");
        assertThat(api.events("alert.worker_offline")).hasSize(1);
        assertThat(isAlive(pid)).isFalse();
        eventually(
                "another worker is ready, and the GPU is free",
                () ->
                        model(api, "mace")
                                        .path("workers")
                                        .path(0)
                                        .path("status")
                                        .asString()
                                        .equals("idle")
                                && api.gpus().getFirst().path("status").asString().equals("free"));
        assertThat(completed(run(api, "mace", "{}")).path("pid").asLong()).isNotEqualTo(pid);
    }

    @Test
    void aCancelledTaskEndsItsWorkerIfThatDoesNotListen(ServerHarness harness) throws IOException {
        var api = with(harness, 1, "stop_grace_seconds: 1\n", "mace").start();
        long task = submit(api, "mace", "{\"sleep\": 1000}", "");
        api.awaitPhase(task, "running");

        api.cancel(task).expect(200);

        assertThat(api.awaitEnd(task).path("status").asString()).isEqualTo("cancelled");
        completed(run(api, "mace", "{}"));
    }

    @Test
    @Tag("slow")
    void aKilledServerLeavesNoWorkerAndRunsNothingTwiceAtOnce(ServerHarness harness)
            throws IOException {
        var api = with(harness, 4, "", "mace", "chgnet").start();
        for (int gpu = 0; gpu < 4; gpu++) {
            var model = gpu < 2 ? "mace" : "chgnet";
            api.client()
                    .post("/api/models/" + model + "/load", "{\"gpu\":" + gpu + "}")
                    .expect(200);
        }
        eventually("four workers are ready", () -> idleWorkers(api) == 4);
        long failing = submit(api, "mace", "{\"sleep\": 1000}", "");
        long retried = submit(api, "chgnet", "{\"sleep\": 3}", ",\"max_retries\": 1");
        api.awaitPhase(failing, "running");
        api.awaitPhase(retried, "running");
        var before = workerPids(api);

        var after = harness.restart();

        assertThat(after.awaitEnd(failing).path("error").asString()).startsWith("Worker offline");
        var second = after.awaitEnd(retried);
        completed(second);
        assertThat(second.path("usage").path("peak_memory_mb").asInt())
                .as("what its worker used while it ran")
                .isEqualTo(6000);
        assertThat(before).hasSize(4).noneMatch(WarmModelsTest::isAlive);
        assertThat(Files.readAllLines(runs))
                .filteredOn(line -> line.startsWith("begin " + retried + " "))
                .hasSize(2);
        completed(run(after, "mace", "{}"));
    }

    private static List<JsonNode> workers(TestApi api) {
        return TestApi.list(api.client().get("/api/workers").expect(200)).stream()
                .flatMap(gpu -> TestApi.list(gpu.path("models")).stream())
                .toList();
    }

    private static long idleWorkers(TestApi api) {
        return workers(api).stream()
                .filter(worker -> worker.path("status").asString().equals("idle"))
                .count();
    }

    private static List<Long> workerPids(TestApi api) {
        return workers(api).stream().map(worker -> worker.path("pid").asLong()).toList();
    }

    private static void signal(long pid, String name) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
