package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.TaskId;

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

    private Premises premises;

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open();
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    private Http.Reply queue(long id) {
        return premises.socket().post("/experiments/" + id + "/queue/", "");
    }

    private Http.Reply start(long id, String body) {
        return premises.socket().post("/experiments/" + id + "/start/", body);
    }

    private static void refused(Http.Reply reply, int status, String code) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.json().get("success").asBoolean()).isFalse();
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.json().get("message")).isEqualTo(reply.json().get("detail"));
        assertThat(reply.json().has("field")).isTrue();
        assertThat(reply.json().has("params")).isTrue();
        assertThat(reply.json().has("reasons")).isTrue();
    }

    @Test
    void anExperimentIsADraftWhateverItsAddressEndsWith() {
        for (var path : List.of("/experiments/", "/experiments")) {
            var reply = premises.socket().post(path, Premises.body(EXPERIMENT));
            assertThat(reply.status()).isEqualTo(201);
            assertThat(reply.json().get("status").asString()).isEqualTo("pending");
            assertThat(reply.json().get("devices").asString()).isEqualTo("0");
            assertThat(reply.header("Location").orElseThrow()).startsWith("/api/tasks/");
        }
        var not =
                premises.socket()
                        .post(
                                "/experiments/",
                                Premises.body(
                                        Map.of("name", "e", "command", "true", "draft", false)));
        assertThat(not.status()).isEqualTo(422);
        assertThat(not.field()).isEqualTo("draft");
        assertThat(premises.tasks()).isEqualTo(2);
    }

    @Test
    void theSameBodyUnderOneKeyIsNotATaskAndAnExperiment() {
        var body = Premises.body(EXPERIMENT);
        var key = "Idempotency-Key: k";
        assertThat(premises.socket().post("/experiments/", body, key).status()).isEqualTo(201);
        assertThat(premises.socket().post("/experiments/", body, key).status()).isEqualTo(200);
        assertThat(premises.socket().post("/api/tasks", body, key).status()).isEqualTo(422);
        assertThat(premises.tasks()).isEqualTo(1);
    }

    @Test
    void aDraftIsQueuedOnce() {
        premises.stopScheduler();
        long id = premises.draft(EXPERIMENT);
        var reply = queue(id);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text())
                .isEqualTo(
                        "{\"success\":true,\"message\":\"实验已加入队列\",\"experiment\":{\"id\":"
                                + id
                                + ",\"status\":\"queued\"}}\n");
        assertThat(premises.show(id).get("status").asString()).isEqualTo("queued");
        assertThat(premises.show(id).get("queued_at").isNull()).isFalse();
        refused(queue(id), 409, "task.not_pending");
        refused(queue(999), 404, "task.unknown");
        refused(premises.socket().post("/experiments/x/queue", ""), 422, "id.invalid");
    }

    @Test
    void whatWasDraftedFirstGoesFirst() {
        premises.stopScheduler();
        long first = premises.draft(EXPERIMENT);
        long second = premises.draft(EXPERIMENT);
        assertThat(queue(second).status()).isEqualTo(200);
        assertThat(queue(first).status()).isEqualTo(200);
        assertThat(premises.show(first).get("position").asInt()).isZero();
        assertThat(premises.show(second).get("position").asInt()).isEqualTo(1);
    }

    @Test
    void aDraftStartsByHandAlsoWhileTheSchedulerIsStopped() {
        premises.stopScheduler();
        long id = premises.draft(EXPERIMENT);
        var reply = start(id, "{}");
        assertThat(reply.text())
                .isEqualTo(
                        "{\"success\":true,\"message\":\"实验已启动\",\"experiment\":{\"id\":"
                                + id
                                + ",\"status\":\"running\"}}\n");
        assertThat(premises.show(id).get("assigned_gpus").toString()).isEqualTo("[0]");
        refused(start(id, ""), 409, "task.not_pending");
        refused(start(999, ""), 404, "task.unknown");
        refused(start(id, "{\"force_start\":1}"), 422, "force_start.invalid");
        refused(start(id, "{\"force\":true}"), 422, "field.unknown");
    }

    @Test
    void aBusyCardIsNamedWithItsUseAndMayBeTakenByForce() {
        premises.node.read(2, 20_000, 0);
        eventually(
                "the reading is in",
                () ->
                        premises.socket()
                                .get("/api/gpus")
                                .json()
                                .get(0)
                                .get("status")
                                .asString()
                                .equals("busy"));
        long id = premises.draft(EXPERIMENT);
        var busy = start(id, "");
        refused(busy, 409, "start.busy");
        assertThat(busy.json().get("detail").asString())
                .contains("GPU 0 is in use: 20000 of 24000 MiB");
        assertThat(busy.json().get("reasons").get(0).get("parts").get(0).get("code").asString())
                .isEqualTo("card.in_use");
        assertThat(premises.show(id).get("status").asString()).isEqualTo("pending");
        assertThat(start(id, "{\"force_start\":true}").status()).isEqualTo(200);
        long other = premises.draft(EXPERIMENT);
        var held = start(other, "{\"force_start\":true}");
        refused(held, 409, "start.busy");
        assertThat(held.json().get("detail").asString())
                .contains("GPU 0 is held by task " + id + ".");
    }

    @Test
    void twentyCallsAtOnceStartItOnce() throws Exception {
        long id = premises.draft(EXPERIMENT);
        var replies = new ArrayList<Future<Http.Reply>>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                var entrance = i % 2 == 0 ? premises.socket() : premises.tcp();
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
        eventually("it runs", () -> premises.show(id).get("status").asString().equals("running"));
        assertThat(premises.store.attempts(new TaskId(id))).hasSize(1);
    }

    @Test
    void theQueueIsShownByDevices() {
        premises.stopScheduler();
        long first = premises.draft(EXPERIMENT);
        long second = premises.draft(EXPERIMENT);
        long other = premises.submit(Premises.body(Map.of("name", "a", "command", "true")));
        premises.submit(
                Premises.body(Map.of("name", "b", "command", "true", "owner", "somebody-else")));
        assertThat(queue(first).status()).isEqualTo(200);
        assertThat(queue(second).status()).isEqualTo(200);
        var status = premises.socket().get("/experiments/queue-status/").json();
        assertThat(premises.socket().get("/experiments/queue-status").status()).isEqualTo(200);
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
