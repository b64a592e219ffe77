package dev.berth.server.api.history;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.read.SampleHistory.Subject;
import dev.berth.server.TestServer;
import dev.berth.telemetry.history.Sampler;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Map;

class HistoryRoutesTest {

    private static TestServer server;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open();
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    private static void sample(Instant from, int seconds) {
        for (int second = 0; second < seconds; second++) {
            server.sampler.takeSample(server.engine.state(), from.plusSeconds(second));
        }
    }

    @Test
    void gpuHistoryReachesTheLastSecond() {
        var now = Instant.now();
        sample(now.minusSeconds(99), 100);

        var answer = server.socket().get("/api/gpus/1/history").json();
        assertThat(answer.get("gpu").asInt()).isEqualTo(1);
        assertThat(answer.get("memory_total_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
        assertThat(answer.get("step_seconds").asInt()).isEqualTo(5);
        var points = answer.get("points");
        assertThat(points.size()).isBetween(20, 22);
        var last = points.get(points.size() - 1);
        assertThat(last.get("t").asLong())
                .isBetween(now.getEpochSecond() - 5, now.getEpochSecond());
        assertThat(last.get("memory_mb").asLong()).isZero();
        assertThat(last.get("memory_peak_mb").asLong()).isZero();
        assertThat(last.get("utilization").asDouble()).isEqualTo(7.0);
        assertThat(last.get("utilization_peak").asLong()).isEqualTo(7);
        assertThat(last.get("temperature").asDouble()).isEqualTo(41.0);
        assertThat(Instant.parse(answer.get("to").asString())).isAfterOrEqualTo(now);
        assertThat(Instant.parse(answer.get("from").asString())).isBefore(now.minusSeconds(3500));
    }

    @Test
    void theLastMinutesOfAllGpusAreOneAnswer() {
        sample(Instant.now().minusSeconds(99), 100);

        var all = server.socket().get("/api/gpus/history?seconds=60").json();
        assertThat(all.size()).isEqualTo(server.socket().get("/api/gpus").json().size());
        for (var one : all) {
            assertThat(one.get("points").size()).isBetween(50, 62);
            assertThat(one.get("points").get(0).get("utilization").asDouble()).isEqualTo(7.0);
        }
        var bad = server.socket().get("/api/gpus/history?seconds=0");
        assertThat(bad.status()).isEqualTo(422);
        assertThat(bad.json().get("field").asString()).isEqualTo("seconds");
    }

    @Test
    void acceptsFromAndTo() {
        var begin = Instant.parse("2020-01-01T00:00:00Z");
        var now = Instant.now();
        sample(now.minusSeconds(7200), 10);
        var answer =
                server.socket()
                        .get(
                                "/api/gpus/0/history?from=%s&to=%s"
                                        .formatted(now.minusSeconds(7300), now.minusSeconds(7100)))
                        .json();
        assertThat(answer.get("step_seconds").asInt()).isEqualTo(60);
        assertThat(answer.get("points").size()).isBetween(1, 2);

        var longAgo = server.socket().get("/api/gpus/0/history?from=" + begin).json();
        assertThat(Instant.parse(longAgo.get("from").asString())).isAfter(begin);
    }

    @Test
    void taskHistoryShowsTheLatestOrTheNamedAttempt() {
        long task = server.submit(TestServer.body(Map.of("name", "one", "command", "true")));
        sample(Instant.now(), 3);

        var answer = server.socket().get("/api/tasks/" + task + "/history").json();
        assertThat(answer.get("points").size()).isBetween(1, 2);
        assertThat(answer.get("points").get(0).get("utilization").asDouble()).isEqualTo(7.0);
        assertThat(answer.get("memory_total_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
        assertThat(answer.get("gpu").isInt()).isTrue();
        assertThat(server.socket().get("/api/tasks/" + task + "/history?attempt=1").json())
                .isNotNull();
        var unknown = server.socket().get("/api/tasks/" + task + "/history?attempt=2");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.json().get("code").asString()).isEqualTo("attempt.unknown");
        server.end(task, 0);
    }

    @Test
    void unstartedTaskHasAnEmptyHistory() {
        long task =
                server.submit(
                        TestServer.body(Map.of("name", "big", "command", "true", "gpu_count", 2)));
        long waiting =
                server.submit(
                        TestServer.body(Map.of("name", "late", "command", "true", "gpu_count", 2)));

        var answer = server.socket().get("/api/tasks/" + waiting + "/history").json();
        assertThat(answer.get("points").isEmpty()).isTrue();
        assertThat(answer.get("gpu").isNull()).isTrue();
        server.end(task, 0);
        server.end(waiting, 0);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/gpus/0/history?range=2h, 422, range",
        "/api/gpus/0/history?from=yesterday, 422, from",
        "/api/gpus/0/history?to=2031, 422, to",
        "/api/gpus/0/history?from=2999-01-01T00:00:00Z, 422, from",
        "/api/gpus/0/history?to=1999-01-01T00:00:00Z, 422, to",
        "/api/gpus/0/history?range=1h&to=2026-01-01T00:00:00Z, 422, range",
        "/api/gpus/first/history, 422, id",
        "/api/gpus/7/history, 404,",
        "/api/tasks/999999/history, 404,",
        "/api/tasks/1/history?attempt=0, 422, attempt"
    })
    void whatCannotBeAnsweredIsRefusedByItsField(String path, int status, String field) {
        var answer = server.socket().get(path);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.json().get("field").asString(null)).isEqualTo(field);
    }

    @Test
    void samplerRunsByItself() throws Exception {
        var card = new Subject.OfGpu(ScriptedNode.card(0).id());
        try (var sampler = Sampler.start(server.history, server.engine)) {
            eventually("it has looked", () -> !sampler.unstoredOf(card).isEmpty());
        }
    }
}
