package dev.berth.server.api.timeline;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Expected starts and ends in lists and on the timeline. The server has two GPUs. */
class TimelineRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private long task(int gpus, int limitSeconds) {
        return server.submit(
                TestServer.body(
                        Map.of(
                                "name",
                                "n",
                                "command",
                                "true",
                                "gpu_count",
                                gpus,
                                "timeout_seconds",
                                limitSeconds)));
    }

    private long endless(int gpus) {
        return server.submit(
                TestServer.body(Map.of("name", "n", "command", "true", "gpu_count", gpus)));
    }

    private JsonNode get(String path) {
        var reply = server.socket().get(path);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    private static Instant time(JsonNode value) {
        return Instant.parse(value.asString());
    }

    private static Instant soon(int seconds) {
        return Instant.now().plusSeconds(seconds);
    }

    private static void assertNear(JsonNode time, Instant expected) {
        assertThat(Duration.between(time(time), expected).abs()).isLessThan(Duration.ofSeconds(60));
    }

    private static JsonNode run(JsonNode timeline, long task) {
        return timeline.get("runs")
                .valueStream()
                .filter(run -> run.get("task_id").asLong() == task)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aTaskStartsWhenTheTimeLimitOfTheRunningOneIsOver() {
        long running = task(2, 1000);
        long head = task(2, 5000);
        long last = endless(1);

        assertThat(server.show(running).get("eta").isNull()).isTrue();
        assertNear(server.show(running).get("expected_end"), soon(1000));
        assertNear(server.show(head).get("eta"), soon(1000));
        assertNear(server.show(head).get("eta_latest"), soon(1000));
        assertNear(server.show(head).get("expected_end_latest"), soon(6000));
        assertNear(server.show(last).get("eta"), soon(6000));
        assertThat(server.show(last).get("expected_end").isNull()).isTrue();
    }

    @Test
    void nothingIsSaidAboutATaskBehindOneOfUnknownLength() {
        endless(2);
        long head = task(1, 100);

        assertThat(server.show(head).get("eta").isNull()).isTrue();
        assertThat(server.show(head).get("eta_latest").isNull()).isTrue();
        assertThat(server.show(head).get("expected_end").isNull()).isTrue();
    }

    @Test
    void listsAndQueueShowTheSameTimes() {
        task(2, 1000);
        long head = task(2, 5000);
        server.show(head);

        var row =
                get("/api/tasks")
                        .valueStream()
                        .filter(one -> one.get("id").asLong() == head)
                        .findFirst()
                        .orElseThrow();
        assertNear(row.get("eta"), soon(1000));
        var queue = get("/api/queue").get("lines").get(0).get("tasks").get(0);
        assertNear(queue.get("eta"), soon(1000));
        assertNear(queue.get("expected_end"), soon(6000));
        assertNear(get("/api/queue/peek").get(0).get("eta"), soon(1000));
    }

    @Test
    void whoSubmitsIsToldNothingYet() {
        task(2, 1000);
        var reply =
                server.socket()
                        .post(
                                "/api/tasks",
                                TestServer.body(
                                        Map.of(
                                                "name",
                                                "n",
                                                "command",
                                                "true",
                                                "gpu_count",
                                                2,
                                                "timeout_seconds",
                                                5)));
        assertThat(reply.json().get("eta").isNull()).isTrue();
    }

    @Test
    void theTimelineShowsPastRunningAndExpectedRuns() {
        long ended = endless(1);
        server.end(ended, 1);
        long running = task(2, 1000);
        long head = task(1, 5000);
        long cpu = server.submit(TestServer.cpuTask("no GPU"));
        server.show(head);

        var timeline = get("/api/timeline");
        assertThat(timeline.get("gpus").size()).isEqualTo(2);
        assertThat(timeline.get("gpus").get(1).get("index").asInt()).isEqualTo(1);
        assertThat(timeline.get("truncated").asBoolean()).isFalse();
        assertThat(timeline.get("reservation").isNull()).isTrue();
        assertNear(timeline.get("from"), soon(-86_400));
        assertNear(timeline.get("to"), soon(86_400));
        var past = run(timeline, ended);
        assertThat(past.get("status").asString()).isEqualTo("failed");
        assertThat(past.get("is_predicted").asBoolean()).isFalse();
        assertThat(past.get("end_latest").isNull()).isTrue();
        assertThat(past.get("gpus").toString()).isEqualTo("[0]");
        var now = run(timeline, running);
        assertThat(now.get("gpus").toString()).isEqualTo("[0,1]");
        assertThat(now.get("is_predicted").asBoolean()).isFalse();
        assertNear(now.get("end"), soon(1000));
        var later = run(timeline, head);
        assertThat(later.get("is_predicted").asBoolean()).isTrue();
        assertNear(later.get("start"), soon(1000));
        assertNear(later.get("end_latest"), soon(6000));
        assertThat(timeline.get("runs").toString()).doesNotContain("\"task_id\":" + cpu + ",");
    }

    @Test
    void onlyWhatOverlapsTheWindowIsShown() {
        long running = task(2, 1000);
        long head = task(2, 5000);
        long last = task(2, 100);
        server.show(last);

        var from = Instant.now().plusSeconds(2000).truncatedTo(ChronoUnit.SECONDS);
        var timeline = get("/api/timeline?from=" + from + "&to=" + from.plusSeconds(1000));
        assertThat(time(timeline.get("from"))).isEqualTo(from);
        assertThat(timeline.get("runs").valueStream().map(run -> run.get("task_id").asLong()))
                .containsExactly(head)
                .doesNotContain(running, last);
    }

    @Test
    void earlierAttemptsOfARetriedTaskAreShown() {
        long task =
                server.submit(
                        TestServer.body(
                                Map.of(
                                        "name",
                                        "n",
                                        "command",
                                        "true",
                                        "gpu_count",
                                        1,
                                        "max_retries",
                                        3)));
        var attempt = new AttemptId(new TaskId(task), 1);
        eventually("it runs", () -> server.show(task).get("phase").asString().equals("running"));
        server.node.end(attempt, 1);
        eventually(
                "the first attempt is past",
                () ->
                        get("/api/timeline")
                                .get("runs")
                                .valueStream()
                                .anyMatch(
                                        run ->
                                                run.get("task_id").asLong() == task
                                                        && run.get("status")
                                                                .asString()
                                                                .equals("failed")));
    }

    @ParameterizedTest
    @CsvSource({
        "from=x, from.invalid",
        "to=tomorrow, to.invalid",
        "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z, window.reversed",
        "from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z, window.too_long",
        "to=2026-01-01T00:00:00Z, window.reversed"
    })
    void aWindowThatMakesNoSenseIsRefused(String query, String code) {
        var reply = server.socket().get("/api/timeline?" + query);
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.json().get("code").asString()).isEqualTo(code);
    }

    @Test
    void withoutEndTheWindowIsNoLongerThanAllowed() {
        var timeline = get("/api/timeline?from=2020-01-01T00:00:00Z");
        assertThat(timeline.get("to").asString()).startsWith("2020-02-01T00:00:00");
    }
}
