package dev.berth.server.api.experiment;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class ExperimentRoutesTest {

    private static final Map<String, Object> EXPERIMENT =
            Map.of("name", "e", "command", "true", "devices", "0");

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply queue(long id) {
        return server.socket().post("/experiments/" + id + "/queue/", "");
    }

    private TestHttpClient.Reply start(long id, String body) {
        return server.socket().post("/experiments/" + id + "/start/", body);
    }

    private static void refused(TestHttpClient.Reply reply, int status, String code) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.json().get("success").asBoolean()).isFalse();
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.json().get("message")).isEqualTo(reply.json().get("detail"));
        assertThat(reply.json().has("field")).isTrue();
        assertThat(reply.json().has("params")).isTrue();
        assertThat(reply.json().has("reasons")).isTrue();
    }

    @Test
    void experimentIsADraftWithAndWithoutTrailingSlash() {
        for (var path : List.of("/experiments/", "/experiments")) {
            var reply = server.socket().post(path, TestServer.body(EXPERIMENT));
            assertThat(reply.status()).isEqualTo(201);
            assertThat(reply.json().get("status").asString()).isEqualTo("pending");
            assertThat(reply.json().get("devices").asString()).isEqualTo("0");
            assertThat(reply.header("Location").orElseThrow()).startsWith("/api/tasks/");
        }
        var not =
                server.socket()
                        .post(
                                "/experiments/",
                                TestServer.body(
                                        Map.of("name", "e", "command", "true", "draft", false)));
        assertThat(not.status()).isEqualTo(422);
        assertThat(not.field()).isEqualTo("draft");
        assertThat(server.tasks()).isEqualTo(2);
    }

    @Test
    void oneKeyIsNotSharedByTasksAndExperiments() {
        var body = TestServer.body(EXPERIMENT);
        var key = "Idempotency-Key: k";
        assertThat(server.socket().post("/experiments/", body, key).status()).isEqualTo(201);
        assertThat(server.socket().post("/experiments/", body, key).status()).isEqualTo(200);
        assertThat(server.socket().post("/api/tasks", body, key).status()).isEqualTo(422);
        assertThat(server.tasks()).isEqualTo(1);
    }

    @Test
    void draftIsQueuedOnce() {
        server.stopScheduler();
        long id = server.draft(EXPERIMENT);
        var reply = queue(id);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text())
                .isEqualTo(
                        "{\"success\":true,\"message\":\"实验已加入队列\",\"experiment\":{\"id\":"
                                + id
                                + ",\"status\":\"queued\"}}\n");
        assertThat(server.show(id).get("status").asString()).isEqualTo("queued");
        assertThat(server.show(id).get("queued_at").isNull()).isFalse();
        refused(queue(id), 409, "task.not_pending");
        refused(queue(999), 404, "task.unknown");
        refused(server.socket().post("/experiments/x/queue", ""), 422, "id.invalid");
    }

    @Test
    void olderDraftIsFirstInTheQueue() {
        server.stopScheduler();
        long first = server.draft(EXPERIMENT);
        long second = server.draft(EXPERIMENT);
        assertThat(queue(second).status()).isEqualTo(200);
        assertThat(queue(first).status()).isEqualTo(200);
        assertThat(server.show(first).get("position").asInt()).isZero();
        assertThat(server.show(second).get("position").asInt()).isEqualTo(1);
    }

    @Test
    void draftCanBeStartedWhileTheSchedulerIsStopped() {
        server.stopScheduler();
        long id = server.draft(EXPERIMENT);
        var reply = start(id, "{}");
        assertThat(reply.text())
                .isEqualTo(
                        "{\"success\":true,\"message\":\"实验已启动\",\"experiment\":{\"id\":"
                                + id
                                + ",\"status\":\"running\"}}\n");
        assertThat(server.show(id).get("assigned_gpus").toString()).isEqualTo("[0]");
        refused(start(id, ""), 409, "task.not_pending");
        refused(start(999, ""), 404, "task.unknown");
        refused(start(id, "{\"force_start\":1}"), 422, "force_start.invalid");
        refused(start(id, "{\"force\":true}"), 422, "field.unknown");
    }

    @Test
    void busyGpuIsReportedAndCanBeForced() {
        server.node.read(2, 20_000, 0);
        eventually(
                "the reading is in",
                () ->
                        server.socket()
                                .get("/api/gpus")
                                .json()
                                .get(0)
                                .get("status")
                                .asString()
                                .equals("busy"));
        long id = server.draft(EXPERIMENT);
        var busy = start(id, "");
        refused(busy, 409, "start.busy");
        assertThat(busy.json().get("detail").asString())
                .contains("GPU 0 is in use: 20000 of 24000 MiB");
        assertThat(busy.json().get("reasons").get(0).get("parts").get(0).get("code").asString())
                .isEqualTo("card.in_use");
        assertThat(server.show(id).get("status").asString()).isEqualTo("pending");
        assertThat(start(id, "{\"force_start\":true}").status()).isEqualTo(200);
        long other = server.draft(EXPERIMENT);
        var held = start(other, "{\"force_start\":true}");
        refused(held, 409, "start.busy");
        assertThat(held.json().get("detail").asString())
                .contains("GPU 0 is held by task " + id + ".");
    }

    @Test
    void concurrentStartsStartItOnce() throws Exception {
        long id = server.draft(EXPERIMENT);
        var replies = new ArrayList<Future<TestHttpClient.Reply>>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                var entrance = i % 2 == 0 ? server.socket() : server.tcp();
                replies.add(
                        callers.submit(() -> entrance.post("/experiments/" + id + "/start/", "")));
            }
            replies.add(callers.submit(() -> queue(id)));
        }
        int done = 0;
        for (var reply : replies) {
            if (reply.get().status() == 200) {
                done++;
            } else {
                refused(reply.get(), 409, "task.not_pending");
            }
        }
        assertThat(done).isEqualTo(1);
        eventually("it runs", () -> server.show(id).get("status").asString().equals("running"));
        assertThat(server.store.attempts(new TaskId(id))).hasSize(1);
    }

    @Test
    void showsTheQueueByDevices() {
        server.stopScheduler();
        long first = server.draft(EXPERIMENT);
        long second = server.draft(EXPERIMENT);
        long other = server.submit(TestServer.body(Map.of("name", "a", "command", "true")));
        server.submit(
                TestServer.body(Map.of("name", "b", "command", "true", "owner", "somebody-else")));
        assertThat(queue(first).status()).isEqualTo(200);
        assertThat(queue(second).status()).isEqualTo(200);
        var status = server.socket().get("/experiments/queue-status/").json();
        assertThat(server.socket().get("/experiments/queue-status").status()).isEqualTo(200);
        assertThat(status.get("scheduler_running").asBoolean()).isFalse();
        assertThat(status.get("user_queued_count").asInt()).isEqualTo(3);
        var groups = status.get("device_groups");
        assertThat(groups.propertyNames()).containsExactly("auto", "0");
        assertThat(groups.get("auto").get("count").asInt()).isEqualTo(2);
        var waiting = groups.get("0").get("experiments");
        assertThat(ids(waiting)).containsExactly(first, second);
        assertThat(waiting.get(1).get("position").asInt()).isEqualTo(1);
        assertThat(waiting.get(1).get("status").asString()).isEqualTo("queued");
        assertThat(waiting.get(1).get("wait_seconds").asDouble()).isGreaterThanOrEqualTo(0);
        assertThat(ids(groups.get("auto").get("experiments")).getFirst()).isEqualTo(other);
    }

    private static List<Long> ids(JsonNode tasks) {
        return tasks.valueStream().map(task -> task.get("id").asLong()).toList();
    }
}
