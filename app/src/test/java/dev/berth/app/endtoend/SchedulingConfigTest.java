package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The scheduling keys: their defaults, and values that prevent a start. */
@ExtendWith(ServerHarnessExtension.class)
final class SchedulingConfigTest {

    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("scheduler.poll_interval_ms", "100"),
                    Map.entry("scheduler.memory_safety_margin_mb", "2000"),
                    Map.entry("scheduler.max_models_per_gpu", "2"),
                    Map.entry("scheduler.model_cache_ttl_seconds", "3600"),
                    Map.entry("scheduler.affinity_wait", "\"off\""),
                    Map.entry("scheduler.worker_heartbeat_interval_seconds", "10"),
                    Map.entry("scheduler.worker_heartbeat_timeout_seconds", "30"),
                    Map.entry("scheduler.default_task_timeout_seconds", "3600"),
                    Map.entry("scheduler.max_task_timeout_seconds", "2592000"),
                    Map.entry("scheduler.reserved_gpu_ids", "[]"),
                    Map.entry("priority_algorithm", "\"priority\""),
                    Map.entry("gpu_selector", "\"best_score\""),
                    Map.entry("backfill", "\"safe\""),
                    Map.entry("queue_wait_warn_seconds", "86400"));

    @Test
    void theDefaultsAreShownAndWhetherAnythingFollowsFromThem(ServerHarness harness) {
        var api = harness.start();
        var entries =
                TestApi.list(api.client().get("/api/config").expect(200)).stream()
                        .collect(
                                Collectors.toMap(
                                        entry -> entry.path("key").asString(),
                                        Function.identity()));

        DEFAULTS.forEach((key, value) -> assertDefault(entries.get(key), value));
        assertThat(entries.get("scheduler.gpu_ids").path("in_force").asBoolean()).isTrue();
    }

    private static void assertDefault(JsonNode entry, String value) {
        assertThat(entry).isNotNull();
        assertThat(entry.path("value").toString()).as("%s", entry).isEqualTo(value);
        assertThat(entry.path("source").asString()).as("%s", entry).isEqualTo("default");
        assertThat(entry.path("in_force").asBoolean(false)).as("%s", entry).isTrue();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "priority_algorithm, random",
        "gpu_selector, prettiest",
        "backfill, sometimes",
        "queue_wait_warn_seconds, never",
        "max_cpu_tasks, -1",
    })
    void aWordThatIsNoPolicyStopsTheStart(String key, String value, ServerHarness harness) {
        harness.configure("port: 0\n" + key + ": " + value + "\n");

        assertRefused(harness, "config/berth.yaml:2: " + key + " is ", value);
    }

    @Test
    void aWeightOfNothingStopsTheStart(ServerHarness harness) {
        harness.configure("users:\n  alice:\n    weight: 0\n");

        assertRefused(harness, "config/berth.yaml:3: users.alice.weight is ", "0");
    }

    @Test
    void aTimeLimitBelowOneSecondStopsTheStart(ServerHarness harness) {
        harness.configure("scheduler:\n  default_task_timeout_seconds: 0\n");

        assertRefused(
                harness, "config/berth.yaml:2: scheduler.default_task_timeout_seconds is ", "0");
    }

    private static void assertRefused(ServerHarness harness, String... words) {
        var server = harness.launch();
        assertThat(server.endsWithin(Duration.ofMinutes(3))).isTrue();
        assertThat(server.exitValue()).isEqualTo(1);
        assertThat(server.outputTail()).contains(words);
    }
}
