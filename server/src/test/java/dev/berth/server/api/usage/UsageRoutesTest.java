package dev.berth.server.api.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

class UsageRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void emptyUsageIsZeroOrUnknown() {
        var answer = server.socket().get("/api/usage").json();
        assertThat(answer.get("users").isEmpty()).isTrue();
        assertThat(answer.get("total").toString())
                .isEqualTo(
                        """
                        {"user":null,"tasks":0,"completed":0,"failed":0,"cancelled":0,\
                        "gpu_hours":0.0,"wait_mean_seconds":null,"wait_p95_seconds":null,\
                        "utilization_mean":null,"memory_asked_mb":null,"memory_peak_mb":null,\
                        "memory_efficiency":null}\
                        """);
        var from = Instant.parse(answer.get("from").asString());
        var to = Instant.parse(answer.get("to").asString());
        assertThat(Duration.between(from, to)).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void countsEndedAndRunningTasksForTheirOwner() {
        long good = server.submit(TestServer.body(Map.of("name", "a", "command", "true")));
        server.end(good, 0);
        long bad = server.submit(TestServer.body(Map.of("name", "b", "command", "true")));
        server.end(bad, 1);
        server.submit(TestServer.body(Map.of("name", "c", "command", "true")));

        var answer = server.socket().get("/api/usage?days=1").json();
        var user = answer.get("users").get(0);
        assertThat(answer.get("users").size()).isEqualTo(1);
        assertThat(user.get("user").asString()).isNotEmpty();
        assertThat(user.get("tasks").asLong()).isEqualTo(3);
        assertThat(user.get("completed").asLong()).isEqualTo(1);
        assertThat(user.get("failed").asLong()).isEqualTo(1);
        assertThat(user.get("cancelled").asLong()).isZero();
        assertThat(user.get("gpu_hours").asDouble()).isBetween(0.0, 1.0);
        assertThat(user.get("wait_p95_seconds").asDouble()).isBetween(0.0, 60.0);
        assertThat(answer.get("total").get("tasks").asLong()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "days=0, days",
        "days=400, days",
        "from=soon, from",
        "from=2999-01-01T00:00:00Z, from",
        "days=3&from=2026-01-01T00:00:00Z, days"
    })
    void aBadWindowIsRefusedByItsField(String query, String field) {
        var answer = server.socket().get("/api/usage?" + query);
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().get("field").asString()).isEqualTo(field);
    }
}
