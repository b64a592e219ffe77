package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.config.Configuration.ExecutionSettings;
import dev.berth.config.Configuration.GpuConfig;
import dev.berth.config.Configuration.GpuFaultHandling;
import dev.berth.config.Configuration.Listening;
import dev.berth.config.Configuration.TmuxWindow;
import dev.berth.wire.ConfigEntry;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

class ConfigurationTest {

    @TempDir Path home;

    @Test
    void newHomeHasDefaults() throws Exception {
        var config = load();

        assertThat(config.listening())
                .isEqualTo(
                        new Listening(
                                "127.0.0.1",
                                29_214,
                                false,
                                false,
                                Optional.empty(),
                                List.of(),
                                Optional.empty(),
                                false,
                                200_000,
                                false));
        assertThat(config.gpus())
                .isEqualTo(
                        new GpuConfig(
                                "auto",
                                Optional.empty(),
                                Optional.empty(),
                                new GpuFaultHandling(
                                        Duration.ofSeconds(30),
                                        Optional.empty(),
                                        Path.of("/dev/kmsg")),
                                20,
                                true,
                                Optional.empty(),
                                new TreeSet<>()));
        assertThat(config.execution())
                .isEqualTo(
                        new ExecutionSettings(
                                TmuxWindow.IF_POSSIBLE,
                                Optional.empty(),
                                Configuration.ShimProgram.FASTEST,
                                Optional.empty(),
                                List.of(),
                                Duration.ofSeconds(10),
                                1024,
                                Duration.ofMinutes(10),
                                Optional.empty()));
        assertThat(config.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "scheduler.poll_interval_ms, 100",
        "scheduler.memory_safety_margin_mb, 2000",
        "scheduler.max_models_per_gpu, 2",
        "scheduler.model_cache_ttl_seconds, 3600",
        "scheduler.affinity_wait, off",
        "scheduler.worker_heartbeat_interval_seconds, 10",
        "scheduler.worker_heartbeat_timeout_seconds, 30",
        "scheduler.default_task_timeout_seconds, 3600",
        "scheduler.max_task_timeout_seconds, 2592000",
        "scheduler.reserved_gpu_ids, []",
        "check_time, 5",
        "maximize_resource_utilization, false",
        "use_all_gpus, true",
        "gpu_left, 1",
        "retry_config.max_retry_before_backoff, 3",
        "retry_config.backoff_duration, 600",
        "log_dir, ./logs",
        "process_json_path, ./logs/uni_id.json",
        "retry_config.max_retries, ",
        "assign_delay_seconds, 0",
        "start_confirm_timeout_seconds, 60",
        "compete_gpus, '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'",
        "work_dir, ",
        "log_roots, []",
        "commands_path, ./command.txt",
        "config_path, ./config.yaml",
        "runtime_dir, ./runtime",
        "db_path, ",
        "memory_threshold_percent, 20",
        "port, 29214",
        "host, 127.0.0.1"
    })
    void showsEveryDefault(String key, @Nullable String value) throws Exception {
        assertThat(String.valueOf(entry(load(), key).value())).isEqualTo(String.valueOf(value));
        assertThat(entry(load(), key).source()).isEqualTo("default");
    }

    @Test
    void readsTheSchedulerBlock() throws Exception {
        write(
                "config/berth.yaml",
                """
                scheduler:
                  # how often
                  poll_interval_ms: 100

                  memory_safety_margin_mb: 2000
                  gpu_ids: [0, 1, 2, 3, 4, 5, 6, 7]
                  reserved_gpu_ids: [2]  # kept
                """);

        var config = load();

        assertThat(config.gpus().usable()).contains(new TreeSet<>(List.of(0, 1, 2, 3, 4, 5, 6, 7)));
        assertThat(config.gpus().reserved()).containsExactly(2);
        assertThat(entry(config, "scheduler.gpu_ids").source()).isEqualTo("config/berth.yaml:6");
    }

    @Test
    void readsTheConsoleFile() throws Exception {
        write("config/control_setting.yaml", "host: 127.0.0.1\nport: 4711\n");
        write("config/gpu_manage.yaml", "gpu_left: 0\n");

        assertThat(load().listening().port()).isEqualTo(4711);
        assertThat(entry(load(), "gpu_left").source()).isEqualTo("config/gpu_manage.yaml:1");
    }

    @Test
    void berthFileHasPrecedenceAndWarns() throws Exception {
        write("config/control_setting.yaml", "port: 1111\n");
        write("config/berth.yaml", "port: 2222\n");

        assertThat(load().listening().port()).isEqualTo(2222);
        assertThat(load().warnings())
                .containsExactly(
                        "port is set twice: config/berth.yaml:1 wins over"
                                + " config/control_setting.yaml:1");
    }

    @Test
    void commandLineOverridesEnvironmentWhichOverridesFiles() throws Exception {
        write("config/berth.yaml", "port: 2222\nstop_grace_seconds: 3\n");
        var environment = Map.of("BERTH_PORT", "3333", "BERTH_STOP_GRACE_SECONDS", "4");
        var words = new TreeMap<>(Map.of("port", "0"));

        var config =
                Configuration.load(new ConfigSources(home, Optional.empty(), environment, words));

        assertThat(config.listening().port()).isZero();
        assertThat(config.execution().stopGrace()).isEqualTo(Duration.ofSeconds(4));
        assertThat(entry(config, "port").source()).isEqualTo("command line --port");
        assertThat(entry(config, "stop_grace_seconds").source())
                .isEqualTo("environment BERTH_STOP_GRACE_SECONDS");
    }

    @Test
    void unknownKeyWarnsWithSuggestion() throws Exception {
        write("config/berth.yaml", "\nchek_time: 5\nscheduler:\n  gpu_idz: [1]\n");

        assertThat(load().warnings())
                .containsExactly(
                        "config/berth.yaml:2: there is no key chek_time. Did you mean check_time?",
                        "config/berth.yaml:4: there is no key scheduler.gpu_idz. Did you mean"
                                + " gpu_ids?");
    }

    @Test
    void twoSwappedLettersAreOneTypingError() throws Exception {
        write("config/berth.yaml", "prot: 29300\n");

        assertThat(load().warnings())
                .containsExactly("config/berth.yaml:1: there is no key prot. Did you mean port?");
    }

    @Test
    void aWorkerIsAskedBeforeItsTimeIsOver() throws Exception {
        write("config/berth.yaml", "scheduler:\n  worker_heartbeat_timeout_seconds: 9\n");

        var workers = load().workers();
        assertThat(workers.heartbeatTimeout()).hasSeconds(9);
        assertThat(workers.heartbeatInterval()).hasSeconds(4);
    }

    @Test
    void modelsAreReadWithAllTheirKeys() throws Exception {
        write(
                "config/berth.yaml",
                """
                prewarm_models: [chgnet, missing]
                models:
                  mace:
                    worker: python3 mace.py
                    memory_mb: 6000
                    prewarm: true
                    env: [OMP_NUM_THREADS=4]
                    work_dir: /data
                    idle_seconds: 600
                    run_as: models
                  chgnet: {worker: ./chgnet}
                  of_an_earlier_system: {path: /m}
                """);

        var loaded = load();
        var models = loaded.workers().models();
        assertThat(models).containsOnlyKeys("chgnet", "mace");
        assertThat(models.get("mace"))
                .isEqualTo(
                        new Configuration.ModelDefinition(
                                "python3 mace.py",
                                6000,
                                true,
                                new TreeMap<>(Map.of("OMP_NUM_THREADS", "4")),
                                Optional.of(Path.of("/data")),
                                Optional.of(Duration.ofMinutes(10)),
                                Optional.of("models")));
        assertThat(models.get("chgnet").isPrewarmed()).isTrue();
        assertThat(loaded.warnings()).singleElement().asString().contains("missing");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "port: 70000|config/berth.yaml:1: port is a whole number from 0 to 65535",
                "port: '80'|config/berth.yaml:1: port is a whole number",
                "port: [1]|config/berth.yaml:1: port is a whole number",
                "auto_port: maybe|config/berth.yaml:1: auto_port is true or false, not \"maybe\"",
                "foreign: nice|foreign is one of yield, fit, not \"nice\"",
                "reserved_gpu_ids: [1, 1]|a list of GPU numbers from 0 up, each once",
                "reserved_gpu_ids: [-1]|a list of GPU numbers",
                "reserved_gpu_ids: 3|a list of GPU numbers",
                "check_time: -1|check_time is a whole number",
                "check_time: 0|check_time is a whole number from 1 ",
                "gpu_left: -1|config/berth.yaml:1: gpu_left is a whole number from 0 ",
                "gpu_left: one|config/berth.yaml:1: gpu_left is a whole number from 0 ",
                "gpu_left: 0.5|gpu_left is a whole number",
                "compete_gpus: 3|compete_gpus is a list of GPU numbers",
                "use_all_gpus: some|use_all_gpus is true or false",
                "retry_config: {max_retry_before_backoff: 0}|max_retry_before_backoff is a whole",
                "retry_config: {backoff_duration: -1}|backoff_duration is a whole number from 0",
                "start_confirm_timeout_seconds: 0|start_confirm_timeout_seconds is a whole",
                "log_roots: /var/log|log_roots is a list of texts",
                "work_dir: [a]|work_dir is a text",
                "check_time: .nan|check_time is a whole number",
                "check_time: 99999999999999999999999|check_time is a whole number",
                "memory_threshold_percent: 0|memory_threshold_percent",
                "retry_config: 3|retry_config is a group of keys, not \"3\"",
                "tmux_path: {a: 1}|tmux_path is a text, not a group of keys",
                "host: \"a\\u0000b\"|host is a text",
            })
    void wrongValueStopsTheStartAndIsNamed(String line, String message) throws Exception {
        write("config/berth.yaml", line + "\n");

        assertThatThrownBy(this::load)
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: 1\n  b: 2\n",
                "port: 1\nport: 2\n",
                "- port\n",
                "just words\n",
                "port: &a 1\nhost: *a\n",
                "a: [&x [1], *x]\n",
                "? [1]\n: 2\n",
                "port: 1\n---\nport: 2\n",
                "\tport: 1\n",
                "port: 'x\n",
            })
    void brokenYamlStopsTheStartWithItsLine(String text) throws Exception {
        write("config/berth.yaml", text);

        assertThatThrownBy(this::load)
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageMatching("(?s)config/berth.yaml:\\d+: .*");
    }

    @Test
    void deepAndLargeFilesAreRefused() throws Exception {
        var deep = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            deep.append("{a: ");
        }
        write("config/berth.yaml", deep.toString());
        assertThatThrownBy(this::load).isInstanceOf(InvalidConfigException.class);

        write("config/berth.yaml", "# " + "x".repeat(2 << 20));
        assertThatThrownBy(this::load).hasMessageContaining("larger than");
    }

    @Test
    void aliasExpansionIsRefusedAtTheFirstAlias() throws Exception {
        var bomb = new StringBuilder("a0: &a0 [lol, lol]\n");
        for (int i = 1; i < 30; i++) {
            bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }
        write("config/berth.yaml", bomb.toString());

        assertThatThrownBy(this::load).hasMessageStartingWith("config/berth.yaml:2: ");
    }

    @Test
    void explicitFileMustExist() {
        var layers =
                new ConfigSources(
                        home, Optional.of(home.resolve("none.yaml")), Map.of(), new TreeMap<>());

        assertThatThrownBy(() -> Configuration.load(layers)).hasMessageContaining("no such file");
    }

    @Test
    void pathsAreRelativeToTheHome() throws Exception {
        write("config/berth.yaml", "nvidia_smi_path: bin/smi\ntmux_path: /opt/tmux\n");

        assertThat(load().gpus().nvidiaSmi()).contains(home.resolve("bin/smi"));
        assertThat(load().execution().tmux()).contains(Path.of("/opt/tmux"));
    }

    @Test
    void acceptsEmptyFileByteOrderMarkAndWindowsLineEnds() throws Exception {
        write("config/berth.yaml", "");
        assertThat(load().warnings()).isEmpty();
        write("config/berth.yaml", "\uFEFF# mine\r\nport: 81\r\n");
        assertThat(load().listening().port()).isEqualTo(81);
    }

    private Configuration load() throws InvalidConfigException {
        return Configuration.load(ConfigSources.of(home));
    }

    private static ConfigEntry entry(Configuration config, String key) {
        return config.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private void write(String name, String text) throws IOException {
        var file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
