package dev.berth.server.api.task;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.findings.progress.Progress;
import dev.berth.port.Fact;
import dev.berth.port.event.TaskAlert;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Progress, diagnosis and usage of a task while it runs and after it has ended. */
class FindingsJsonTest {

    private static final GpuConsumption USED =
            new GpuConsumption(
                    11_000, 9_000, OptionalInt.of(99), OptionalInt.of(71), Duration.ofSeconds(90));

    private TestServer server;
    private AttemptId attempt;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        long task =
                server.submit(
                        TestServer.body(
                                Map.of(
                                        "name",
                                        "train",
                                        "command",
                                        "python train.py",
                                        "memory_gb",
                                        20,
                                        "env",
                                        Map.of("SEED", "1"))));
        attempt = new AttemptId(new TaskId(task), 1);
        eventually("it runs", () -> task().get("phase").asString().equals("running"));
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private JsonNode task() {
        return server.socket().get("/api/tasks/" + attempt.task()).json();
    }

    private JsonNode row() {
        return server.socket().get("/api/tasks").json().get(0);
    }

    @Test
    void showsProgressAndStalls() {
        assertThat(task().get("progress").isNull()).isTrue();
        server.node.observe(
                new Fact.Progressed(
                        attempt,
                        new Progress(
                                30,
                                100,
                                "epoch",
                                OptionalDouble.of(0.5),
                                Optional.of(Duration.ofSeconds(140)),
                                "epoch 30/100")));
        eventually("it is shown", () -> !task().get("progress").isNull());
        var progress = task().get("progress");
        assertThat(progress.get("percent").asInt()).isEqualTo(30);
        assertThat(progress.get("done").asLong()).isEqualTo(30);
        assertThat(progress.get("total").asLong()).isEqualTo(100);
        assertThat(progress.get("unit").asString()).isEqualTo("epoch");
        assertThat(progress.get("per_second").asDouble()).isEqualTo(0.5);
        assertThat(progress.get("finish_at").asString()).isNotEmpty();
        assertThat(progress.get("line").asString()).isEqualTo("epoch 30/100");
        assertThat(progress.get("stalled_seconds").isNull()).isTrue();
        assertThat(row().get("progress").asInt()).isEqualTo(30);

        server.node.observe(new Fact.Stalled(attempt, Duration.ofMinutes(12)));
        server.node.observe(new Fact.Stalled(attempt, Duration.ofMinutes(13)));
        eventually(
                "it stands still", () -> !task().get("progress").get("stalled_seconds").isNull());
        assertThat(task().get("progress").get("stalled_seconds").asLong())
                .as("since it last came further")
                .isGreaterThanOrEqualTo(12 * 60);
        assertThat(task().get("progress").get("finish_at").isNull()).isTrue();
        var alerts =
                server.store.eventsAfter(0, 100).stream()
                        .filter(event -> event.kind().equals("alert.stalled"))
                        .toList();
        assertThat(alerts).hasSize(1);
        assertThat(((TaskAlert.TaskStalled) alerts.getFirst().payload()).minutes()).isEqualTo(12);

        server.node.end(attempt, 0);
        eventually("it has ended", () -> task().get("status").asString().equals("completed"));
        assertThat(task().get("progress").isNull()).isTrue();
        assertThat(row().get("progress").isNull()).isTrue();
    }

    @Test
    void showsGpuUsageDuringAndAfterTheRun() {
        server.usage = USED;
        var live = task().get("usage");
        assertThat(live.get("peak_memory_mb").asLong()).isEqualTo(11_000);
        server.usage = null;
        server.node.end(attempt, 0, new AttemptFindings(Optional.empty(), Optional.of(USED)));
        eventually("it has ended", () -> task().get("status").asString().equals("completed"));
        var usage = task().get("usage");
        assertThat(usage.get("peak_memory_mb").asLong()).isEqualTo(11_000);
        assertThat(usage.get("mean_memory_mb").asLong()).isEqualTo(9_000);
        assertThat(usage.get("peak_utilization").asInt()).isEqualTo(99);
        assertThat(usage.get("mean_utilization").asInt()).isEqualTo(71);
        assertThat(usage.get("watched_seconds").asDouble()).isEqualTo(90);
        assertThat(usage.get("memory_asked_mb").asLong()).isEqualTo(20_480);
        assertThat(usage.get("gpu_seconds").asDouble()).isPositive();
    }

    @Test
    void failureShowsCauseAdviceAndRetry() {
        var diagnosis =
                new Diagnosis(
                        Cause.OOM,
                        "torch.OutOfMemoryError: CUDA out of memory.",
                        new TreeMap<>(Map.of("tried_mib", "2048")));
        server.node.end(attempt, 1, new AttemptFindings(Optional.of(diagnosis), Optional.empty()));
        eventually("it has failed", () -> task().get("status").asString().equals("failed"));
        assertThat(task().get("error").asString()).isEqualTo("CUDA out of memory");
        assertThat(task().get("error_type").asString()).isEqualTo("oom");
        assertThat(task().get("exit_code").asInt()).isEqualTo(1);
        assertThat(row().get("cause").asString()).isEqualTo("oom");
        var told = task().get("diagnosis");
        assertThat(told.get("cause").asString()).isEqualTo("oom");
        assertThat(told.get("line").asString()).contains("CUDA out of memory");
        assertThat(told.get("advice").asString()).isNotEmpty();
        assertThat(told.get("params").get("tried_mib").asString()).isEqualTo("2048");
        var redo = told.get("redo");
        assertThat(redo.get("memory_gb").asDouble()).isGreaterThan(20);

        var again =
                server.socket().post("/api/tasks/" + attempt.task() + "/clone", redo.toString());
        assertThat(again.status()).as(again.text()).isEqualTo(201);
        assertThat(again.json().get("memory_gb").asDouble())
                .isEqualTo(redo.get("memory_gb").asDouble());
        assertThat(again.json().get("command").asString()).isEqualTo("python train.py");
    }

    @Test
    void cloneAppliesChangesAndMergesTheEnvironment() {
        var again =
                server.socket()
                        .post(
                                "/api/tasks/" + attempt.task() + "/clone",
                                "{\"name\":\"second\",\"timeout_seconds\":60,"
                                        + "\"env\":{\"NCCL_DEBUG\":\"INFO\"}}");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.json().get("name").asString()).isEqualTo("second");
        assertThat(again.json().get("timeout_seconds").asInt()).isEqualTo(60);
        assertThat(again.json().get("memory_gb").asDouble()).isEqualTo(20);
        assertThat(again.json().get("env").toString()).isEqualTo("[\"NCCL_DEBUG\",\"SEED\"]");

        var wrong =
                server.socket()
                        .post("/api/tasks/" + attempt.task() + "/clone", "{\"memory_gb\":-1}");
        assertThat(wrong.status()).isEqualTo(422);
        assertThat(wrong.json().get("field").asString()).isEqualTo("memory_gb");
        var unknown =
                server.socket()
                        .post("/api/tasks/" + attempt.task() + "/clone", "{\"command\":\"x\"}");
        assertThat(unknown.status()).isEqualTo(422);
        assertThat(unknown.json().get("field").asString()).isEqualTo("command");
    }
}
