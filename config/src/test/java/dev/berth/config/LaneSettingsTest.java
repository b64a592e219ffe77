package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.config.Configuration.LaneFiles;
import dev.berth.config.Configuration.LaneRuleSettings;
import dev.berth.config.Configuration.LaneSettings;
import dev.berth.config.Configuration.StorageSettings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Keys of lanes, from files of existing installations. */
class LaneSettingsTest {

    private static final Configuration.BackupSettings BACKUPS =
            new Configuration.BackupSettings(7, 3);

    @TempDir Path root;

    private Path home;

    @BeforeEach
    void make() throws IOException {
        home = Files.createDirectories(root.resolve("project/home"));
    }

    @Test
    void newHomeHasDefaultRules() throws Exception {
        assertThat(load().lanes()).isEqualTo(usual());
        assertThat(load().storage())
                .isEqualTo(
                        new StorageSettings(
                                home.resolve("runtime"),
                                home.resolve("runtime/tasks.db"),
                                true,
                                BACKUPS));
        assertThat(load().gpus().yieldsToOthers()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.yaml", "config/gpu_manage.yaml"})
    void readsTheCompetitionSchedulerFile(String name) throws Exception {
        write(name, resource("competition.yaml"));

        var config = load();

        assertThat(config.lanes()).isEqualTo(usual());
        assertThat(config.warnings()).isEmpty();
        assertThat(source(config, "retry_config.backoff_duration")).isEqualTo(name + ":13");
        assertThat(source(config, "work_dir")).isEqualTo("default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.yaml", "config/gpu_manage.yaml"})
    void readsItsSecondExample(String name) throws Exception {
        write(name, resource("competition-changed.yaml"));

        var lanes = load().lanes();

        assertThat(lanes.rules().checkTime()).isEqualTo(Duration.ofSeconds(10));
        assertThat(lanes.rules().competeGpus()).containsExactly(0, 1, 2, 3);
        assertThat(lanes.rules().usesAllGpus()).isTrue();
        assertThat(lanes.rules().gpusLeft()).isEqualTo(2);
        assertThat(lanes.rules().retriesBeforeBackoff()).isEqualTo(5);
        assertThat(lanes.rules().backoff()).isEqualTo(Duration.ofSeconds(1200));
        assertThat(lanes.rules().workDir().path())
                .isEqualTo(Path.of("/home/user/custom_workspace"));
    }

    @Test
    void aHomeWithThatFileKeepsItsBehaviour() throws Exception {
        write("config.yaml", resource("competition.yaml"));

        var config = load();

        assertThat(config.gpus().yieldsToOthers()).isFalse();
        assertThat(source(config, "foreign")).isEqualTo("because this home has config.yaml");
    }

    @ParameterizedTest
    @CsvSource({
        "work_dir: null, project",
        "work_dir:, project",
        "'work_dir: \"../\"', project",
        "'work_dir: \"../../\"', ''",
        "'work_dir: \"work\"', project/home/work",
        "work_dir: /data/lab, /data/lab",
    })
    void workDirIsRelativeToTheHomeOrAbsoluteOrTheHomesOwnDirectory(String line, String expected)
            throws Exception {
        write("config.yaml", line + "\n");

        assertThat(load().lanes().rules().workDir().path()).isEqualTo(root.resolve(expected));
    }

    @Test
    void aRelativeHomeIsMadeAbsolute() throws Exception {
        var config = Configuration.load(ConfigSources.of(Path.of("some/../home")));

        assertThat(config.lanes().rules().workDir().path()).isEqualTo(Path.of("").toAbsolutePath());
        assertThat(config.storage().runtime()).isEqualTo(Path.of("home/runtime").toAbsolutePath());
    }

    @Test
    void everyPathCanBeConfigured() throws Exception {
        write(
                "config/berth.yaml",
                """
                log_dir: out/logs
                process_json_path: /data/uni_id.json
                commands_path: command_bk.txt
                log_roots: [/var/log/lab, ../results]
                runtime_dir: /scratch/berth
                retry_config:
                  max_retries: 7
                assign_delay_seconds: 30
                start_confirm_timeout_seconds: 90
                """);

        var config = load();

        assertThat(config.lanes().files().logDir()).isEqualTo(home.resolve("out/logs"));
        assertThat(config.lanes().files().processJson()).isEqualTo(Path.of("/data/uni_id.json"));
        assertThat(config.lanes().files().commandsPath()).isEqualTo(home.resolve("command_bk.txt"));
        assertThat(config.lanes().files().logRoots())
                .containsExactly(Path.of("/var/log/lab"), root.resolve("project/results"));
        assertThat(config.lanes().rules().maxRetries()).hasValue(7);
        assertThat(config.lanes().rules().assignDelay()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.lanes().rules().startConfirmLimit()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.storage())
                .isEqualTo(
                        new StorageSettings(
                                Path.of("/scratch/berth"),
                                Path.of("/scratch/berth/tasks.db"),
                                true,
                                BACKUPS));
        assertThat(config.warnings()).isEmpty();
    }

    @Test
    void theDatabaseCanBeOutsideTheRuntimeFolder() throws Exception {
        write("config/berth.yaml", "db_path: data/berth.db\n");

        assertThat(load().storage())
                .isEqualTo(
                        new StorageSettings(
                                home.resolve("runtime"),
                                home.resolve("data/berth.db"),
                                true,
                                BACKUPS));
    }

    @Test
    void aMovedHomeStillWorks() throws Exception {
        write("config.yaml", "work_dir: work\ncommands_path: command_bk.txt\n");
        var moved = Files.move(home, root.resolve("elsewhere"));

        var lanes = Configuration.load(ConfigSources.of(moved)).lanes();

        assertThat(lanes.rules().workDir().path()).isEqualTo(moved.resolve("work"));
        assertThat(lanes.files().commandsPath()).isEqualTo(moved.resolve("command_bk.txt"));
    }

    @Test
    void laneKeysCanBeInAnotherFile() throws Exception {
        write("lab/lanes.yaml", "gpu_left: 3\n");
        write("config.yaml", "gpu_left: 4\n");
        write("config/berth.yaml", "config_path: ./lab/lanes.yaml\n");

        var config = load();

        assertThat(config.lanes().rules().gpusLeft()).isEqualTo(3);
        assertThat(source(config, "gpu_left")).isEqualTo("lab/lanes.yaml:1");
        assertThat(source(config, "foreign")).contains("lab/lanes.yaml");
    }

    @Test
    void theEnvironmentCanNameThatFile() throws Exception {
        write("lanes.yaml", "gpu_left: 3\n");
        var layers =
                new ConfigSources(
                        home,
                        Optional.empty(),
                        Map.of("BERTH_CONFIG_PATH", "lanes.yaml"),
                        new TreeMap<>());

        assertThat(Configuration.load(layers).lanes().rules().gpusLeft()).isEqualTo(3);
    }

    @Test
    void aNamedFileThatIsMissingStopsTheStart() throws Exception {
        write("config/berth.yaml", "port: 1\nconfig_path: lanes.yaml\n");

        assertThatThrownBy(this::load)
                .hasMessage("config/berth.yaml:2: config_path: there is no file lanes.yaml");
    }

    @Test
    void configPathInTheLaneFileHasNoEffect() throws Exception {
        write("config.yaml", "config_path: lanes.yaml\ngpu_left: 4\n");

        assertThat(load().lanes().rules().gpusLeft()).isEqualTo(4);
        assertThat(load().warnings())
                .singleElement()
                .asString()
                .startsWith("config.yaml:1: config_path has no effect here");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"gpu_selector: balanced, balanced", "port: 1, -"})
    void itIsKnownWhetherSomebodyChoseTheSelector(String line, @Nullable String chosen)
            throws Exception {
        write("config/berth.yaml", line + "\n");

        assertThat(load().scheduling().laneSelector()).isEqualTo(Optional.ofNullable(chosen));
    }

    private LaneSettings usual() {
        var rules =
                new LaneRuleSettings(
                        Duration.ofSeconds(5),
                        true,
                        IntStream.range(0, 10).boxed().toList(),
                        1,
                        false,
                        3,
                        Duration.ofSeconds(600),
                        OptionalInt.empty(),
                        Duration.ZERO,
                        Duration.ofSeconds(60),
                        new Configuration.WorkDir(home.getParent(), false));
        var files =
                new LaneFiles(
                        home.resolve("logs/uni_id.json"),
                        home.resolve("command.txt"),
                        home.resolve("logs"),
                        List.of());
        return new LaneSettings(rules, files);
    }

    private Configuration load() throws InvalidConfigException {
        return Configuration.load(ConfigSources.of(home));
    }

    private static String source(Configuration config, String key) {
        return config.entry(key).orElseThrow().source();
    }

    static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(LaneSettingsTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void write(String name, String text) throws IOException {
        var file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
