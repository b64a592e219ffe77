package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.config.Configuration.Lanes;
import dev.berth.server.config.Configuration.Storage;

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

/** What lanes are ruled by, from the files that labs have. */
class LanesConfigurationTest {

    @TempDir Path root;

    private Path home;

    @BeforeEach
    void make() throws IOException {
        home = Files.createDirectories(root.resolve("project/home"));
    }

    @Test
    void freshHomeHasTheUsualRules() throws Exception {
        assertThat(load().lanes()).isEqualTo(usual());
        assertThat(load().storage())
                .isEqualTo(
                        new Storage(
                                home.resolve("runtime"), home.resolve("runtime/tasks.db"), true));
        assertThat(load().cards().yieldsToOthers()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.yaml", "config/gpu_manage.yaml"})
    void takesTheCompetitionSchedulersFileAsItIs(String name) throws Exception {
        write(name, resource("competition.yaml"));

        var config = load();

        assertThat(config.lanes()).isEqualTo(usual());
        assertThat(config.warnings()).isEmpty();
        assertThat(source(config, "retry_config.backoff_duration")).isEqualTo(name + ":13");
        assertThat(source(config, "work_dir")).isEqualTo("default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.yaml", "config/gpu_manage.yaml"})
    void takesItsSecondExampleAsItIs(String name) throws Exception {
        write(name, resource("competition-changed.yaml"));

        var lanes = load().lanes();

        assertThat(lanes.checkTime()).isEqualTo(Duration.ofSeconds(10));
        assertThat(lanes.competeCards()).containsExactly(0, 1, 2, 3);
        assertThat(lanes.usesAllCards()).isTrue();
        assertThat(lanes.left()).isEqualTo(2);
        assertThat(lanes.retriesAtOnce()).isEqualTo(5);
        assertThat(lanes.rest()).isEqualTo(Duration.ofSeconds(1200));
        assertThat(lanes.workDir()).isEqualTo(Path.of("/home/user/custom_workspace"));
    }

    @Test
    void aHomeWithThatFileKeepsItsManners() throws Exception {
        write("config.yaml", resource("competition.yaml"));

        var config = load();

        assertThat(config.cards().yieldsToOthers()).isFalse();
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

        assertThat(load().lanes().workDir()).isEqualTo(root.resolve(expected));
    }

    @Test
    void aRelativeHomeIsMadeAbsolute() throws Exception {
        var config = Configuration.load(Layers.of(Path.of("some/../home")));

        assertThat(config.lanes().workDir()).isEqualTo(Path.of("").toAbsolutePath());
        assertThat(config.storage().runtime()).isEqualTo(Path.of("home/runtime").toAbsolutePath());
    }

    @Test
    void everyPathCanBePutElsewhere() throws Exception {
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

        assertThat(config.lanes().logDir()).isEqualTo(home.resolve("out/logs"));
        assertThat(config.lanes().processJson()).isEqualTo(Path.of("/data/uni_id.json"));
        assertThat(config.lanes().commandsPath()).isEqualTo(home.resolve("command_bk.txt"));
        assertThat(config.lanes().logRoots())
                .containsExactly(Path.of("/var/log/lab"), root.resolve("project/results"));
        assertThat(config.lanes().mostRetries()).hasValue(7);
        assertThat(config.lanes().assignDelay()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.lanes().confirmWithin()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.storage())
                .isEqualTo(
                        new Storage(
                                Path.of("/scratch/berth"),
                                Path.of("/scratch/berth/tasks.db"),
                                true));
        assertThat(config.warnings()).isEmpty();
    }

    @Test
    void theDatabaseCanLieApartFromTheFolders() throws Exception {
        write("config/berth.yaml", "db_path: data/berth.db\n");

        assertThat(load().storage())
                .isEqualTo(
                        new Storage(home.resolve("runtime"), home.resolve("data/berth.db"), true));
    }

    @Test
    void aMovedHomeIsStillWhole() throws Exception {
        write("config.yaml", "work_dir: work\ncommands_path: command_bk.txt\n");
        var moved = Files.move(home, root.resolve("elsewhere"));

        var lanes = Configuration.load(Layers.of(moved)).lanes();

        assertThat(lanes.workDir()).isEqualTo(moved.resolve("work"));
        assertThat(lanes.commandsPath()).isEqualTo(moved.resolve("command_bk.txt"));
    }

    @Test
    void anotherFileCanHoldTheLanesKeys() throws Exception {
        write("lab/lanes.yaml", "gpu_left: 3\n");
        write("config.yaml", "gpu_left: 4\n");
        write("config/berth.yaml", "config_path: ./lab/lanes.yaml\n");

        var config = load();

        assertThat(config.lanes().left()).isEqualTo(3);
        assertThat(source(config, "gpu_left")).isEqualTo("lab/lanes.yaml:1");
        assertThat(source(config, "foreign")).contains("lab/lanes.yaml");
    }

    @Test
    void theEnvironmentNamesThatFileToo() throws Exception {
        write("lanes.yaml", "gpu_left: 3\n");
        var layers =
                new Layers(
                        home,
                        Optional.empty(),
                        Map.of("BERTH_CONFIG_PATH", "lanes.yaml"),
                        new TreeMap<>());

        assertThat(Configuration.load(layers).lanes().left()).isEqualTo(3);
    }

    @Test
    void aNamedFileThatIsMissingStopsTheStart() throws Exception {
        write("config/berth.yaml", "port: 1\nconfig_path: lanes.yaml\n");

        assertThatThrownBy(this::load)
                .hasMessage("config/berth.yaml:2: config_path: there is no file lanes.yaml");
    }

    @Test
    void aFileCannotSayThatItIsElsewhere() throws Exception {
        write("config.yaml", "config_path: lanes.yaml\ngpu_left: 4\n");

        assertThat(load().lanes().left()).isEqualTo(4);
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

    private Lanes usual() {
        return new Lanes(
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
                home.getParent(),
                home.resolve("logs/uni_id.json"),
                home.resolve("command.txt"),
                home.resolve("logs"),
                List.of());
    }

    private Configuration load() throws ConfigRefused {
        return Configuration.load(Layers.of(home));
    }

    private static String source(Configuration config, String key) {
        return config.entry(key).orElseThrow().source();
    }

    static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(LanesConfigurationTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void write(String name, String text) throws IOException {
        var file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
