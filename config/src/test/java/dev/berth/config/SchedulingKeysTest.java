package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.config.Configuration.ModelSettings;
import dev.berth.config.Configuration.SchedulingSettings;
import dev.berth.config.Configuration.ShareSettings;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Priority;
import dev.berth.wire.ConfigEntry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

class SchedulingKeysTest {

    @TempDir Path home;

    private Configuration load(String yaml) throws InvalidConfigException, IOException {
        var file = home.resolve("config/berth.yaml");
        Files.createDirectories(home.resolve("config"));
        Files.writeString(file, yaml);
        return Configuration.load(ConfigSources.of(home));
    }

    private static ConfigEntry entry(Configuration config, String key) {
        return config.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void newHomeHasDefaultPolicies() throws Exception {
        assertThat(Configuration.load(ConfigSources.of(home)).scheduling())
                .isEqualTo(
                        new SchedulingSettings(
                                "priority",
                                "safe",
                                "best_score",
                                Optional.empty(),
                                new ShareSettings(
                                        new TreeMap<>(),
                                        new TreeSet<>(),
                                        new TreeMap<>(),
                                        LimitRules.NONE,
                                        false),
                                Duration.ofDays(1),
                                OptionalInt.empty(),
                                Duration.ofMillis(100),
                                new ModelSettings(
                                        new TreeMap<>(), 2000, 2, Duration.ofHours(1), false),
                                3600,
                                2_592_000));
    }

    private static final LimitRules LIMITS =
            new LimitRules(
                    new TreeMap<>(
                            Map.of(
                                    LimitKey.MAX_GPUS,
                                    2.0,
                                    LimitKey.MAX_PRIORITY,
                                    Limit.ofPriority(Priority.HIGH))),
                    new TreeMap<>(
                            Map.of(
                                    "vision",
                                    new TreeMap<>(
                                            Map.of(
                                                    LimitKey.MAX_HOURS,
                                                    0.5,
                                                    LimitKey.GPU_HOURS_PER_DAY,
                                                    48.0)))),
                    new TreeMap<>(
                            Map.of(
                                    "john.doe",
                                    new TreeMap<>(
                                            Map.of(
                                                    LimitKey.MAX_RUNNING,
                                                    3.0,
                                                    LimitKey.MAX_QUEUED,
                                                    0.0)))));

    @Test
    void everythingCanBeSet() throws Exception {
        var config =
                load(
                        """
                        priority_algorithm: fair_share
                        backfill: greedy
                        gpu_selector: sampling
                        queue_wait_warn_seconds: 60
                        max_cpu_tasks: 4
                        users:
                          alice: {weight: 3}
                          bob:
                            weight: 0.5
                            vip: true
                          john.doe: {vip: yes}
                          carol: {vip: false}
                        groups:
                          vision: {weight: 2}
                        count_outside: true
                        limits:
                          default: {max_gpus: 2, max_priority: high}
                          groups:
                            vision: {max_hours: 0.5, gpu_hours_per_day: 48}
                          users:
                            john.doe:
                              max_running: 3
                              max_queued: 0
                        model_memory_estimates:
                          mace-1.0: 9000
                        scheduler:
                          memory_safety_margin_mb: 0
                          max_models_per_gpu: 3
                          model_cache_ttl_seconds: 5
                          affinity_wait: auto
                          default_task_timeout_seconds: 3
                          max_task_timeout_seconds: 10
                        """);
        assertThat(config.scheduling())
                .isEqualTo(
                        new SchedulingSettings(
                                "fair_share",
                                "greedy",
                                "sampling",
                                Optional.of("sampling"),
                                new ShareSettings(
                                        new TreeMap<>(Map.of("alice", 3.0, "bob", 0.5)),
                                        new TreeSet<>(List.of("bob", "john.doe")),
                                        new TreeMap<>(Map.of("vision", 2.0)),
                                        LIMITS,
                                        true),
                                Duration.ofSeconds(60),
                                OptionalInt.of(4),
                                Duration.ofMillis(100),
                                new ModelSettings(
                                        new TreeMap<>(Map.of("mace-1.0", 9000L)),
                                        0,
                                        3,
                                        Duration.ofSeconds(5),
                                        true),
                                3,
                                10));
        assertThat(config.warnings()).isEmpty();
        var weight = entry(config, "users.alice.weight");
        assertThat(weight.value()).isEqualTo(3.0);
        assertThat(weight.source()).isEqualTo("config/berth.yaml:7");
        assertThat(weight.inForce()).isTrue();
        assertThat(entry(config, "model_memory_estimates.mace-1.0").value()).isEqualTo(9000L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limits: {default: {max_gpus: many}}|:1: limits.default.max_gpus is a whole number",
                "limits: {users: {al: {max_priority: top}}}|:1: limits.users.al.max_priority is"
                        + " one",
                "groups: {vision: {weight: 0}}|:1: groups.vision.weight is a number above 0",
                "users: {alice: {weight: 0}}|:1: users.alice.weight is a number above 0",
                "users: {alice: {weight: -1}}|:1: users.alice.weight is a number above 0",
                "users: {alice: {weight: heavy}}|:1: users.alice.weight is a number above 0",
                "users: {alice: {vip: perhaps}}|:1: users.alice.vip is true or false",
                "users: {alice: 3}|:1: users.alice is a group of keys, not \"3\"",
                "users: 3|:1: users is a group of keys, not \"3\"",
                "model_memory_estimates: {m: 0}|:1: model_memory_estimates.m is a whole number",
                "priority_algorithm: random|is one of priority, fair_share, fifo, shortest_first,"
                        + " smallest_first",
                "gpu_selector: best|is one of best_score, balanced, sampling",
                "backfill: easy|is one of safe, off, greedy",
                "max_cpu_tasks: 0|max_cpu_tasks is a whole number from 1",
                "queue_wait_warn_seconds: 0|queue_wait_warn_seconds is a whole number from 1",
                "poll_interval: 0|poll_interval is a number from 0.001",
                "default_task_timeout_seconds: 2592001|is at most"
                        + " scheduler.max_task_timeout_seconds"
            })
    void aWrongValueStopsTheStartWithFileLineAndKey(String yaml, String message) {
        assertThatThrownBy(() -> load(yaml))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageStartingWith("config/berth.yaml:1: ")
                .hasMessageContaining(message);
    }

    @Test
    void anUnknownKeyBelowAUserWarns() throws Exception {
        var config = load("users:\n  alice:\n    wieght: 2\n");
        assertThat(config.warnings())
                .containsExactly(
                        "config/berth.yaml:3: there is no key users.alice.wieght."
                                + " Did you mean weight?");
    }

    @ParameterizedTest
    @CsvSource({
        "poll_interval: 0.25, 250",
        "check_interval_seconds: 30, 30000",
        "scheduler.poll_interval_ms: 7, 7"
    })
    void thePassIntervalHasThreeNames(String yaml, long millis) throws Exception {
        var config = load(yaml.replace("scheduler.", ""));
        assertThat(config.scheduling().pollInterval()).isEqualTo(Duration.ofMillis(millis));
        var shown = entry(config, "scheduler.poll_interval_ms");
        assertThat(shown.value()).isEqualTo(millis);
        assertThat(shown.source()).isEqualTo("config/berth.yaml:1");
        assertThat(config.warnings()).isEmpty();
    }

    @Test
    void theIntervalInMillisecondsHasPrecedenceWithAWarning() throws Exception {
        var config = load("poll_interval: 1\ncheck_interval_seconds: 30\npoll_interval_ms: 50\n");
        assertThat(config.scheduling().pollInterval()).isEqualTo(Duration.ofMillis(50));
        assertThat(config.warnings()).hasSize(2);
        assertThat(config.warnings().getFirst())
                .contains("config/berth.yaml:1: poll_interval has no effect")
                .contains("config/berth.yaml:3");
        var two = load("check_interval_seconds: 30\npoll_interval: 1\n");
        assertThat(two.scheduling().pollInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(two.warnings()).hasSize(1);
    }

    @Test
    void aLowerMaximumLowersTheDefault() throws Exception {
        var scheduling = load("max_task_timeout_seconds: 60\n").scheduling();
        assertThat(scheduling.defaultModelTaskSeconds()).isEqualTo(60);
        assertThat(scheduling.maxTaskSeconds()).isEqualTo(60);
    }
}
