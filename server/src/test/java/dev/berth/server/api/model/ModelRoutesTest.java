package dev.berth.server.api.model;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Owner;
import dev.berth.engine.AttemptSettings;
import dev.berth.engine.EngineCommand;
import dev.berth.port.Fact;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient.Reply;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Models and the workers that keep them loaded. */
class ModelRoutesTest {

    private static final String MACE = "{\"worker\":\"python3 mace.py\",\"work_dir\":\"/tmp\"}";
    private static final String CALL =
            "{\"name\":\"opt\",\"model_name\":\"mace\",\"task_type\":\"optimization\","
                    + "\"params\":{\"n\":7}}";

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private Reply put(String name, String body) {
        return server.socket()
                .send(
                        "PUT",
                        "/api/models/" + name,
                        List.of("Content-Type: application/json"),
                        body.getBytes(StandardCharsets.UTF_8));
    }

    private Reply delete(String name) {
        return server.socket().send("DELETE", "/api/models/" + name, List.of(), new byte[0]);
    }

    private Reply load(String body) {
        return server.socket().post("/api/models/mace/load", body);
    }

    private JsonNode mace() {
        return server.socket().get("/api/models/mace").json();
    }

    private JsonNode worker() {
        return mace().get("workers").get(0);
    }

    private AttemptId workerId() {
        return new AttemptId(new TaskId(worker().get("task_id").asLong()), 1);
    }

    private static void assertRefused(Reply reply, int status, String code) {
        assertThat(reply.json().get("code").asString()).isEqualTo(code);
        assertThat(reply.status()).isEqualTo(status);
    }

    /** Loads the model on GPU 0. */
    private void loaded() {
        put("mace", MACE);
        assertThat(load("{\"gpu\":0}").status()).isEqualTo(200);
        server.node.observe(new Fact.WorkerReady(workerId(), Duration.ofMillis(2500)));
        eventually("it is ready", () -> worker().get("status").asString().equals("idle"));
    }

    @Test
    void newModelHasDefaultsAndIsListed() {
        assertThat(server.socket().get("/api/models").json().isEmpty()).isTrue();

        var saved = put("mace", MACE);

        assertThat(saved.status()).isEqualTo(200);
        var model = saved.json();
        assertThat(model.get("name").asString()).isEqualTo("mace");
        assertThat(model.get("worker").asString()).isEqualTo("python3 mace.py");
        assertThat(model.get("memory_mb").asLong()).isEqualTo(4000);
        assertThat(model.get("idle_seconds").asLong()).isEqualTo(3600);
        assertThat(model.get("prewarm").asBoolean()).isFalse();
        assertThat(model.get("configured").asBoolean()).isFalse();
        assertThat(model.get("set_aside").isNull()).isTrue();
        assertThat(model.get("load_seconds").isNull()).isTrue();
        assertThat(model.get("workers").isEmpty()).isTrue();
        assertThat(server.socket().get("/api/models").json().get(0)).isEqualTo(mace());
    }

    @Test
    void everyFieldIsKept() {
        var model =
                put(
                                "mace",
                                "{\"worker\":\"w\",\"memory_mb\":6000,\"prewarm\":true,"
                                        + "\"env\":{\"KEY\":\"secret\"},\"work_dir\":\"/tmp\","
                                        + "\"idle_seconds\":60}")
                        .json();

        assertThat(model.get("memory_mb").asLong()).isEqualTo(6000);
        assertThat(model.get("prewarm").asBoolean()).isTrue();
        assertThat(model.get("work_dir").asString()).isEqualTo("/tmp");
        assertThat(model.get("idle_seconds").asLong()).isEqualTo(60);
        assertThat(model.get("env").toString()).isEqualTo("[\"KEY\"]");
        assertThat(model.toString()).doesNotContain("secret");
        eventually("it is prewarmed", () -> mace().get("workers").size() == 1);
    }

    @Test
    void changedModelKeepsItsEnvironmentUnlessStated() {
        put("mace", "{\"worker\":\"w\",\"env\":{\"KEY\":\"secret\"},\"work_dir\":\"/tmp\"}");

        assertThat(put("mace", MACE).json().get("env").toString()).isEqualTo("[\"KEY\"]");
        var none = put("mace", "{\"worker\":\"w\",\"env\":{},\"work_dir\":\"/tmp\"}").json();
        assertThat(none.get("env").isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                       | worker",
                "{\"worker\":\" \"}                       | worker",
                "{\"worker\":7}                           | worker",
                "{\"worker\":\"w\",\"memory_mb\":0}       | memory_mb",
                "{\"worker\":\"w\",\"memory_mb\":\"x\"}   | memory_mb",
                "{\"worker\":\"w\",\"prewarm\":\"yes\"}   | prewarm",
                "{\"worker\":\"w\",\"idle_seconds\":0}    | idle_seconds",
                "{\"worker\":\"w\",\"idle_seconds\":1.5}  | idle_seconds",
                "{\"worker\":\"w\",\"work_dir\":\"x\"}    | work_dir",
                "{\"worker\":\"w\",\"work_dir\":\"/no/such\"} | work_dir",
                "{\"worker\":\"w\",\"env\":{\"1\":\"x\"}} | env",
                "{\"worker\":\"w\",\"env\":[]}            | env",
                "{\"worker\":\"w\",\"memory\":7}          | memory",
            })
    void invalidFieldIsNamed(String body, String field) {
        var reply = put("mace", body);

        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.json().get("field").asString()).isEqualTo(field);
        assertThat(server.socket().get("/api/models").json().isEmpty()).isTrue();
    }

    @Test
    void workerCommandHasALengthLimit() {
        assertRefused(
                put("mace", "{\"worker\":\"" + "x".repeat(70_000) + "\"}"), 422, "worker.invalid");
    }

    @ParameterizedTest
    @CsvSource({"a%20b", "a%22", "%3Cb%3E"})
    void nameWithOtherCharactersIsRefused(String name) {
        var reply = put(name, MACE);

        assertRefused(reply, 422, "model.name");
        assertThat(reply.json().get("field").asString()).isEqualTo("name");
    }

    @Test
    void unknownModelIsNotFound() {
        assertRefused(server.socket().get("/api/models/none"), 404, "model.unknown");
        assertRefused(delete("none"), 404, "model.unknown");
        assertRefused(server.socket().post("/api/models/none/load", "{}"), 404, "model.unknown");
        assertRefused(server.socket().post("/api/models/none/unload", "{}"), 404, "model.unknown");
        assertRefused(server.socket().post("/api/tasks", CALL), 422, "model.without_worker");
    }

    @Test
    void loadedModelShowsItsWorker() {
        loaded();
        var beat = Instant.parse("2026-01-02T03:04:05Z");
        server.heartbeats.put(workerId(), beat);

        var worker = worker();
        assertThat(mace().get("load_seconds").asDouble()).isEqualTo(2.5);
        assertThat(worker.get("model").asString()).isEqualTo("mace");
        assertThat(worker.get("gpu_id").asInt()).isZero();
        assertThat(worker.get("memory_mb").asLong()).isEqualTo(4000);
        assertThat(worker.get("pid").asLong()).isEqualTo(ScriptedNode.pid(workerId().task()));
        assertThat(worker.get("current_task_id").isNull()).isTrue();
        assertThat(Instant.parse(worker.get("last_heartbeat").asString())).isEqualTo(beat);
        var own = server.show(worker.get("task_id").asLong());
        assertThat(own.get("model_name").asString()).isEqualTo("mace");
        assertThat(server.socket().get("/api/tasks").json().isEmpty())
                .as("workers are not listed as tasks")
                .isTrue();
    }

    @Test
    void workersAreListedByGpu() {
        loaded();

        var gpus = server.socket().get("/api/workers").json();

        assertThat(gpus.size()).isEqualTo(TestServer.GPUS);
        assertThat(gpus.get(0).get("name").asString()).isEqualTo("worker-gpu-0");
        assertThat(gpus.get(0).get("queue").asString()).isEqualTo("gpu-0");
        assertThat(gpus.get(0).get("models").get(0)).isEqualTo(worker());
        assertThat(gpus.get(1).get("gpu_id").asInt()).isEqualTo(1);
        assertThat(gpus.get(1).get("models").isEmpty()).isTrue();
    }

    @Test
    void loadWithoutRoomIsRefused() {
        put("mace", "{\"worker\":\"w\",\"memory_mb\":90000,\"work_dir\":\"/tmp\"}");
        assertRefused(load("{}"), 409, "model.no_room");
        loaded();
        assertRefused(load("{\"gpu\":0}"), 409, "model.no_room");
        assertRefused(load("{\"gpu\":9}"), 404, "card.unknown");
        var bad = load("{\"gpu\":\"x\"}");
        assertThat(bad.status()).isEqualTo(422);
        assertThat(bad.json().get("field").asString()).isEqualTo("gpu");
    }

    @Test
    void workerAtWorkIsNotUnloaded() {
        loaded();
        long task = server.submit(CALL);
        eventually("it runs", () -> worker().get("status").asString().equals("busy"));
        assertThat(worker().get("current_task_id").asLong()).isEqualTo(task);
        assertThat(mace().get("hits").asLong()).isEqualTo(1);

        assertRefused(server.socket().post("/api/models/mace/unload", "{}"), 409, "model.at_work");
        assertRefused(delete("mace"), 409, "model.in_use");

        server.node.observe(
                new Fact.CallEnded(
                        new AttemptId(new TaskId(task), 1),
                        new Ending.Exited(0),
                        Optional.of("{\"energy\":-1.5}")));
        eventually("it is idle", () -> worker().get("status").asString().equals("idle"));
        var done = server.show(task);
        assertThat(done.get("result").get("energy").asDouble()).isEqualTo(-1.5);
        assertThat(done.get("params").get("n").asInt()).isEqualTo(7);
        assertThat(done.get("command").asString()).isEmpty();

        assertThat(server.socket().post("/api/models/mace/unload", "{}").status()).isEqualTo(200);
        eventually("it is gone", () -> mace().get("workers").isEmpty());
        assertThat(delete("mace").status()).isEqualTo(200);
        assertRefused(server.socket().get("/api/models/mace"), 404, "model.unknown");
    }

    @Test
    void configuredModelChangesOnlyInTheConfiguration() throws Exception {
        configure("mace");

        assertThat(mace().get("configured").asBoolean()).isTrue();
        assertRefused(put("mace", MACE), 409, "model.configured");
        assertRefused(delete("mace"), 409, "model.configured");
        assertThat(load("{}").status()).isEqualTo(200);
    }

    private void configure(String name) throws Exception {
        var model = new Model(name, "w", 4000, false, new TreeMap<>(), "/tmp", Optional.empty());
        var usual = AttemptSettings.DEFAULT;
        var settings =
                new AttemptSettings(
                        usual.backoff(),
                        usual.maxRetries(),
                        usual.assignDelay(),
                        usual.startTimeout(),
                        new TreeMap<>(Map.of(name, model)));
        server.engine
                .ask(
                        new EngineCommand.ChangeRules(
                                server.engine.now(),
                                Owner.unix("root"),
                                SchedulingRules.DEFAULT,
                                settings,
                                List.of()))
                .get();
    }
}
