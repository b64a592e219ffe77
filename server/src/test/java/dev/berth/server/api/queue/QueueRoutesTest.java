package dev.berth.server.api.queue;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuPool;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

class QueueRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private long task(String priority, String devices) {
        return server.submit(
                TestServer.body(
                        Map.of(
                                "name",
                                "n",
                                "command",
                                "true",
                                "priority",
                                priority,
                                "devices",
                                devices)));
    }

    private JsonNode get(String path) {
        var reply = server.socket().get(path);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    private static List<Long> ids(JsonNode tasks) {
        return tasks.valueStream().map(task -> task.get("id").asLong()).toList();
    }

    @Test
    void showsAnEmptyQueue() {
        var queue = get("/api/queue");
        assertThat(queue.get("queued").asInt()).isZero();
        assertThat(queue.get("scheduler_running").asBoolean()).isTrue();
        assertThat(queue.get("paused").isNull()).isTrue();
        assertThat(queue.get("longest_wait_seconds").isNull()).isTrue();
        assertThat(queue.get("longest_wait_task_id").isNull()).isTrue();
        assertThat(queue.get("wait_warn_seconds").asLong()).isEqualTo(86_400);
        assertThat(queue.get("priority_algorithm").asString()).isEqualTo("priority");
        assertThat(queue.get("gpu_selector").asString()).isEqualTo("best_score");
        assertThat(queue.get("lines").isEmpty()).isTrue();
    }

    @Test
    void showsEveryQueueWithItsTasksInOrder() {
        long holder =
                server.submit(
                        TestServer.body(Map.of("name", "h", "command", "true", "gpu_count", 2)));
        server.draft(Map.of("name", "d", "command", "true"));
        long low = task("LOW", "auto");
        long high = task("HIGH", "auto");
        long both = task("NORMAL", "0,1");
        long zero = task("CRITICAL", "0");
        var queue = get("/api/queue");
        assertThat(queue.get("queued").asInt()).isEqualTo(4);
        assertThat(queue.get("running").asInt()).isEqualTo(1);
        assertThat(queue.get("pending").asInt()).isEqualTo(1);
        assertThat(queue.get("priorities").toString())
                .isEqualTo("{\"CRITICAL\":1,\"HIGH\":1,\"NORMAL\":1,\"LOW\":1}");
        assertThat(queue.get("longest_wait_task_id").asLong()).isEqualTo(low);
        assertThat(queue.get("longest_wait_seconds").asDouble()).isGreaterThanOrEqualTo(0);
        var lines = queue.get("lines");
        assertThat(lines.valueStream().map(line -> line.get("device").asString()))
                .containsExactly("auto", "0", "0,1");
        var main = lines.get(0);
        assertThat(main.get("count").asInt()).isEqualTo(2);
        assertThat(main.get("priorities").toString())
                .isEqualTo("{\"CRITICAL\":0,\"HIGH\":1,\"NORMAL\":0,\"LOW\":1}");
        assertThat(ids(main.get("tasks"))).containsExactly(high, low);
        assertThat(ids(lines.get(1).get("tasks"))).containsExactly(zero);
        var last = lines.get(2).get("tasks").get(0);
        assertThat(last.get("id").asLong()).isEqualTo(both);
        assertThat(last.get("gpu_count").asInt()).isEqualTo(2);
        assertThat(last.get("position").asInt()).isZero();
        assertThat(last.get("score").asDouble()).isGreaterThan(2e12).isLessThan(3e12);
        var limited = get("/api/queue?limit=1").get("lines").get(0);
        assertThat(limited.get("count").asInt()).isEqualTo(2);
        assertThat(ids(limited.get("tasks"))).containsExactly(high);
        assertThat(ids(get("/api/queue/peek"))).containsExactly(zero, high, both, low);
        assertThat(server.show(holder).get("status").asString()).isEqualTo("running");
    }

    /** A lane may have the name of a GPU. */
    @Test
    void eachQueueTellsItsKind() {
        server.stopScheduler();
        task("NORMAL", "auto");
        task("NORMAL", "cpu");
        task("NORMAL", "0");
        server.submit(TestServer.body(Map.of("name", "l", "command", "true", "lane", "0")));
        assertThat(
                        get("/api/queue")
                                .get("lines")
                                .valueStream()
                                .map(
                                        line ->
                                                line.get("kind").asString()
                                                        + " "
                                                        + line.get("device").asString()))
                .containsExactly("main auto", "cpu cpu", "devices 0", "lane 0");
    }

    @Test
    void peekShowsTheFirstTenWithScores() {
        server.stopScheduler();
        for (int i = 0; i < 12; i++) {
            task(i % 2 == 0 ? "LOW" : "NORMAL", "auto");
        }
        var first = get("/api/queue/peek");
        assertThat(ids(first)).containsExactly(2L, 4L, 6L, 8L, 10L, 12L, 1L, 3L, 5L, 7L);
        assertThat(first.valueStream().map(task -> task.get("score").asDouble()).toList())
                .isSorted();
        assertThat(first.valueStream().map(task -> task.get("position").asInt()).toList())
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(first.get(0).get("line").asString()).isEqualTo("auto");
        var low = server.show(1);
        assertThat(low.get("score")).isEqualTo(first.get(6).get("score"));
        var created = Instant.parse(low.get("created_at").asString());
        assertThat(low.get("score").asDouble())
                .isEqualTo(3e12 + (created.getEpochSecond() + created.getNano() / 1e9));
        assertThat(ids(get("/api/queue/peek"))).isEqualTo(ids(first));
        assertThat(ids(get("/api/queue/peek?limit=12"))).hasSize(12);
        assertThat(ids(get("/api/queue/peek?limit=1"))).containsExactly(2L);
    }

    @Test
    void positionIsCountedInTheTasksQueue() {
        server.stopScheduler();
        long first = task("NORMAL", "auto");
        long other = task("NORMAL", "cpu");
        task("NORMAL", "auto");
        long third = task("NORMAL", "auto");
        long draft = server.draft(Map.of("name", "d", "command", "true"));
        assertThat(get("/api/queue/position/" + first).toString())
                .isEqualTo("{\"task_id\":" + first + ",\"line\":\"auto\",\"position\":0}");
        assertThat(get("/api/queue/position/" + third).get("position").asInt()).isEqualTo(2);
        assertThat(get("/api/queue/position/" + other).toString())
                .isEqualTo("{\"task_id\":" + other + ",\"line\":\"cpu\",\"position\":0}");
        assertThat(get("/api/queue/position/" + draft).toString())
                .isEqualTo("{\"task_id\":" + draft + ",\"line\":null,\"position\":null}");
        server.socket().post("/api/tasks/" + first + "/cancel", "");
        assertThat(get("/api/queue/position/" + first).get("position").isNull()).isTrue();
        assertThat(get("/api/queue/position/" + third).get("position").asInt()).isEqualTo(1);
        assertThat(server.socket().get("/api/queue/position/999").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/queue?limit=0",
                "/api/queue?limit=1001",
                "/api/queue?limit=x",
                "/api/queue/peek?limit=0",
                "/api/queue/position/abc",
                "/api/queue/position/0"
            })
    void aBadQuestionIsRefused(String path) {
        var reply = server.socket().get(path);
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isIn("limit", "id");
    }

    @Test
    void longWaitIsReportedByHealth() throws Exception {
        server.close();
        server =
                TestServer.open(
                        new TestServer.Options(SchedulingRules.DEFAULT, Duration.ofMillis(1)));
        server.submit(TestServer.body(Map.of("name", "h", "command", "true", "gpu_count", 2)));
        assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
        long late = task("NORMAL", "auto");
        eventually("health tells", () -> server.socket().get("/api/health").status() == 503);
        assertThat(server.socket().get("/api/health").text())
                .contains("1 task has waited longer")
                .contains("task " + late)
                .contains("queue_wait_warn_seconds");
        assertThat(get("/api/queue").get("waiting_too_long").asInt()).isEqualTo(1);
        eventually(
                "the alert is among the events",
                () -> server.socket().get("/api/events/log").text().contains("alert.long_wait"));
    }

    @Test
    void cpuTasksWaitAtTheirLimit() throws Exception {
        server.close();
        var rules =
                new SchedulingRules(
                        20,
                        ForeignProcessPolicy.YIELD,
                        GpuPool.ALL,
                        MemoryEstimates.DEFAULT,
                        ModelCache.DEFAULT,
                        OptionalInt.of(1),
                        LaneRules.DEFAULT);
        server = TestServer.open(new TestServer.Options(rules, Duration.ofDays(1)));
        task("NORMAL", "cpu");
        long second = task("NORMAL", "cpu");
        var reason = server.show(second).get("wait_reasons").get(0);
        assertThat(reason.get("code").asString()).isEqualTo("cpu.full");
        assertThat(reason.get("detail").asString()).contains("max_cpu_tasks");
        assertThat(get("/api/queue").get("lines").get(0).get("device").asString()).isEqualTo("cpu");
    }
}
