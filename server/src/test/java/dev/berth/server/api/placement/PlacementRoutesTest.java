package dev.berth.server.api.placement;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;

class PlacementRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private JsonNode placement(long id) {
        var reply = server.socket().get("/api/tasks/" + id + "/placement");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    private static List<Boolean> each(JsonNode placement, String what) {
        return placement.get("gpus").valueStream().map(gpu -> gpu.get(what).asBoolean()).toList();
    }

    @Test
    void showsEveryPartOfEveryScore() {
        server.stopScheduler();
        long id =
                server.submit(
                        TestServer.body(
                                Map.of("name", "n", "command", "true", "model_name", "mace")));
        var placement = placement(id);
        assertThat(placement.get("task_id").asLong()).isEqualTo(id);
        assertThat(placement.get("status").asString()).isEqualTo("queued");
        assertThat(placement.get("selector").asString()).isEqualTo("best_score");
        assertThat(placement.get("need").toString())
                .isEqualTo(
                        "{\"min_gpu\":1,\"max_gpu\":1,\"memory_mb\":5000,"
                                + "\"memory_from\":\"estimate\",\"margin_mb\":2000,"
                                + "\"threshold_percent\":null}");
        var gpu = placement.get("gpus").get(0);
        assertThat(gpu.get("uuid").asString()).isEqualTo("GPU-0");
        assertThat(gpu.get("name").asString()).isEqualTo(ScriptedNode.MODEL);
        assertThat(gpu.get("memory_total_mb").asLong()).isEqualTo(24_000);
        assertThat(gpu.get("memory_free_mb").asLong()).isEqualTo(24_000);
        assertThat(gpu.get("headroom_mb").asLong()).isEqualTo(24_000);
        assertThat(gpu.get("score").asDouble()).isEqualTo(30);
        assertThat(gpu.get("model_affinity_score").asDouble()).isEqualTo(50);
        assertThat(gpu.get("load_balance_score").asDouble()).isEqualTo(89.9);
        assertThat(gpu.get("scores").toString())
                .isEqualTo(
                        "{\"best_score\":{\"total\":30.0,\"parts\":{\"model_loaded\":0.0,"
                            + "\"memory_free\":24.0,\"coolness\":6.0}},"
                            + "\"balanced\":{\"total\":139.9,\"parts\":{\"model_affinity\":50.0,"
                            + "\"memory\":40.0,\"utilization\":27.9,\"coolness\":12.0,"
                            + "\"idle\":10.0}},"
                            + "\"sampling\":{\"total\":93.0,\"parts\":{\"mean_utilization\":7.0,"
                            + "\"memory_free\":24000.0}}}");
    }

    @Test
    void waitingTaskShowsItsChoice() {
        server.stopScheduler();
        long id = server.submit(TestServer.body(Map.of("name", "n", "command", "true")));
        var placement = placement(id);
        assertThat(placement.get("would_start").asBoolean()).isFalse();
        assertThat(placement.get("reasons")).isEqualTo(server.show(id).get("wait_reasons"));
        assertThat(placement.get("reasons").get(0).get("code").asString())
                .isEqualTo("paused.stopped");
        assertThat(each(placement, "fits")).containsExactly(true, true);
        assertThat(each(placement, "chosen")).containsExactly(true, false);
        assertThat(placement.get("need").get("memory_from").asString()).isEqualTo("none");
        assertThat(placement.get("need").get("threshold_percent").asInt()).isEqualTo(20);
        assertThat(placement.get("need").get("memory_mb").isNull()).isTrue();
        assertThat(placement.get("gpus").get(0).get("refusal").isNull()).isTrue();
    }

    @Test
    void unsuitableGpuShowsTheReason() {
        long holder =
                server.submit(
                        TestServer.body(Map.of("name", "h", "command", "true", "devices", "0")));
        long id =
                server.draft(
                        Map.of("name", "n", "command", "true", "devices", "0", "memory_gb", 2));
        var draft = placement(id);
        assertThat(draft.get("status").asString()).isEqualTo("pending");
        assertThat(draft.get("reasons").isEmpty()).isTrue();
        assertThat(each(draft, "fits")).containsExactly(false, false);
        assertThat(each(draft, "chosen")).containsExactly(false, false);
        assertThat(draft.get("gpus").get(0).get("refusal").get("detail").asString())
                .isEqualTo("GPU 0 is held by task " + holder + ".");
        assertThat(draft.get("gpus").get(1).get("refusal").get("code").asString())
                .isEqualTo("card.not_named");
        assertThat(draft.get("need").get("memory_mb").asLong()).isEqualTo(2048);
        assertThat(draft.get("need").get("memory_from").asString()).isEqualTo("stated");
        assertThat(draft.get("need").get("margin_mb").asLong()).isZero();
        assertThat(server.socket().post("/experiments/" + id + "/queue/", "").status())
                .isEqualTo(200);
        var queued = placement(id);
        assertThat(queued.get("reasons").get(0).get("code").asString()).isEqualTo("cards.short");
    }

    @Test
    void startedTaskHasNoReasons() {
        long id = server.submit(TestServer.body(Map.of("name", "n", "command", "true")));
        eventually("it runs", () -> server.show(id).get("status").asString().equals("running"));
        var running = placement(id);
        assertThat(running.get("would_start").asBoolean()).isFalse();
        assertThat(running.get("reasons").isEmpty()).isTrue();
        assertThat(each(running, "chosen")).containsExactly(false, false);
        server.end(id, 0);
        assertThat(placement(id).get("status").asString()).isEqualTo("completed");
    }

    @Test
    void cpuTaskHasNoGpus() {
        server.stopScheduler();
        var placement = placement(server.submit(TestServer.cpuTask("c")));
        assertThat(placement.get("gpus").isEmpty()).isTrue();
        assertThat(placement.get("need").get("max_gpu").asInt()).isZero();
        assertThat(server.socket().get("/api/tasks/999/placement").status()).isEqualTo(404);
        assertThat(server.socket().get("/api/tasks/x/placement").status()).isEqualTo(422);
    }
}
