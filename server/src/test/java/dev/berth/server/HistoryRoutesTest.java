package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.engine.port.History.Subject;
import dev.berth.server.history.Sampler;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Map;

class HistoryRoutesTest {

    private static Premises premises;

    @BeforeAll
    static void open() throws Exception {
        premises = Premises.open();
    }

    @AfterAll
    static void close() throws Exception {
        premises.close();
    }

    private static void look(Instant from, int seconds) {
        for (int second = 0; second < seconds; second++) {
            premises.sampler.look(premises.engine.state(), from.plusSeconds(second));
        }
    }

    @Test
    void aCardsHistoryGoesUpToTheLastSecond() {
        var now = Instant.now();
        look(now.minusSeconds(99), 100);

        var answer = premises.socket().get("/api/gpus/1/history").json();
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
    void aTimeMayBeNamedByItsEnds() {
        var begin = Instant.parse("2020-01-01T00:00:00Z");
        var now = Instant.now();
        look(now.minusSeconds(7200), 10);
        var answer =
                premises.socket()
                        .get(
                                "/api/gpus/0/history?from=%s&to=%s"
                                        .formatted(now.minusSeconds(7300), now.minusSeconds(7100)))
                        .json();
        assertThat(answer.get("step_seconds").asInt()).isEqualTo(60);
        assertThat(answer.get("points").size()).isBetween(1, 2);

        var longAgo = premises.socket().get("/api/gpus/0/history?from=" + begin).json();
        assertThat(Instant.parse(longAgo.get("from").asString())).isAfter(begin);
    }

    @Test
    void aTaskHasTheHistoryOfItsLatestAttemptOrOfOneThatIsNamed() {
        long task = premises.submit(Premises.body(Map.of("name", "one", "command", "true")));
        look(Instant.now(), 3);

        var answer = premises.socket().get("/api/tasks/" + task + "/history").json();
        assertThat(answer.get("points").size()).isBetween(1, 2);
        assertThat(answer.get("points").get(0).get("utilization").asDouble()).isEqualTo(7.0);
        assertThat(answer.get("memory_total_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
        assertThat(answer.get("gpu").isInt()).isTrue();
        assertThat(premises.socket().get("/api/tasks/" + task + "/history?attempt=1").json())
                .isNotNull();
        var unknown = premises.socket().get("/api/tasks/" + task + "/history?attempt=2");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.json().get("code").asString()).isEqualTo("attempt.unknown");
        premises.end(task, 0);
    }

    @Test
    void aTaskThatNeverStartedHasAnEmptyHistory() {
        long task =
                premises.submit(
                        Premises.body(Map.of("name", "big", "command", "true", "gpu_count", 2)));
        long waiting =
                premises.submit(
                        Premises.body(Map.of("name", "late", "command", "true", "gpu_count", 2)));

        var answer = premises.socket().get("/api/tasks/" + waiting + "/history").json();
        assertThat(answer.get("points").isEmpty()).isTrue();
        assertThat(answer.get("gpu").isNull()).isTrue();
        premises.end(task, 0);
        premises.end(waiting, 0);
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
        var answer = premises.socket().get(path);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.json().get("field").asString(null)).isEqualTo(field);
    }

    @Test
    void theSamplerLooksByItself() throws Exception {
        var card = new Subject.OfCard(ScriptedNode.card(0).id());
        try (var sampler = Sampler.start(premises.history, premises.engine)) {
            eventually("it has looked", () -> !sampler.fresh(card).isEmpty());
        }
    }
}
