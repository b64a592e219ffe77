package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.Rejected;
import dev.berth.core.access.Actor;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;
import dev.berth.json.WireJson;
import dev.berth.wire.RuleChange;
import dev.berth.wire.SettingChange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class LiveConfigurationTest {

    @TempDir Path home;

    private final List<Configuration> followed = new ArrayList<>();

    private LiveConfiguration book() throws InvalidConfigException {
        return book(ConfigSources.of(home), followed::add);
    }

    private static LiveConfiguration book(ConfigSources layers, Consumer<Configuration> follow)
            throws InvalidConfigException {
        return new LiveConfiguration(
                layers, Configuration.load(layers), _ -> {}, (next, _) -> follow.accept(next));
    }

    private Path write(String name, String text) throws IOException {
        var file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static ConfigChangeRejected refusal(LiveConfiguration book, Map<String, ?> body) {
        return catchThrowableOfType(
                ConfigChangeRejected.class, () -> book.changeRules(Actor.BERTH, body, true));
    }

    private List<Path> files() throws IOException {
        try (var all = Files.walk(home)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void changesTheFileWithPrecedence() throws Exception {
        var lanes = write("config.yaml", "gpu_left: 1\ncheck_time: 5\n");
        var own = write("config/berth.yaml", "scheduler:\n  gpu_left: 2 # here\n");

        book().changeRules(Actor.BERTH, Map.of("gpu_left", 3), true);

        assertThat(own).hasContent("scheduler:\n  gpu_left: 3 # here\n");
        assertThat(lanes).hasContent("gpu_left: 1\ncheck_time: 5\n");
        assertThat(followed.getLast().lanes().rules().gpusLeft()).isEqualTo(3);
    }

    @Test
    void restoringTheDefaultRemovesTheKeyFromAllFiles() throws Exception {
        var lanes = write("config.yaml", "gpu_left: 4\ncheck_time: 5\n");
        var own = write("config/berth.yaml", "gpu_left: 2\nscheduler:\n  gpu_left: 3\n");

        book().changeRules(Actor.BERTH, Collections.singletonMap("gpu_left", null), true);

        assertThat(lanes).hasContent("check_time: 5\n");
        assertThat(own).hasContent("scheduler:\n");
        assertThat(followed.getLast().lanes().rules().gpusLeft()).isEqualTo(1);
    }

    @Test
    void rejectsWritingAKeyThatTheEnvironmentOverrides() throws Exception {
        var file = write("config.yaml", "gpu_left: 1\n");
        var layers =
                new ConfigSources(
                        home, Optional.empty(), Map.of("BERTH_GPU_LEFT", "2"), new TreeMap<>());
        var book = book(layers, followed::add);

        var refused = refusal(book, Map.of("gpu_left", 3));

        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.CONFLICT);
        assertThat(refused.why().code()).isEqualTo("rule.set_elsewhere");
        assertThat(refused.why().params().get("where")).contains("BERTH_GPU_LEFT");
        assertThat(file).hasContent("gpu_left: 1\n");

        book.changeRules(Actor.BERTH, Map.of("gpu_left", 3), false);
        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(3);
    }

    /** The server of a machine reads a file of root, and cannot write it. */
    @Test
    void changesToAFileOfRootAreInTheHome(@TempDir Path etc) throws Exception {
        var roots = Files.writeString(etc.resolve("config.yaml"), "gpu_left: 1\ncheck_time: 7\n");
        var layers =
                new ConfigSources(home, Optional.of(roots), Map.of(), new TreeMap<>())
                        .withChangesInHome();
        var changes = home.resolve("config/changes.yaml");
        var book = book(layers, followed::add);

        book.changeRules(Actor.BERTH, Map.of("gpu_left", 3, "limits.users.ann.max_gpus", 2), true);

        assertThat(roots).hasContent("gpu_left: 1\ncheck_time: 7\n");
        assertThat(changes).content().contains("gpu_left: 3\n").contains("max_gpus: 2\n");
        assertThat(Configuration.load(layers).lanes().rules().gpusLeft()).isEqualTo(3);
        assertThat(Configuration.load(layers).warnings()).isEmpty();
        assertThat(book.rules().file()).isEqualTo("config/changes.yaml");

        book.changeRules(Actor.BERTH, Collections.singletonMap("gpu_left", null), true);

        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(1);
        var refused = refusal(book, Collections.singletonMap("gpu_left", null));
        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.CONFLICT);
        assertThat(refused.why().code()).isEqualTo("rule.set_by_root");
        assertThat(refused.why().params().get("file")).isEqualTo(roots.toString());
    }

    @Test
    void ifTheServerRejectsTheRulesNothingChanges() throws Exception {
        var file = write("config.yaml", "gpu_left: 1\n");
        var book =
                book(
                        ConfigSources.of(home),
                        next -> {
                            throw new IllegalArgumentException("gpu_left: not with these cards");
                        });

        var refused = refusal(book, Map.of("gpu_left", 3));

        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.INVALID);
        assertThat(refused.why().params().get("problem")).contains("not with these cards");
        assertThat(refused.why().field()).isEqualTo("gpu_left");
        assertThat(files()).containsExactly(file);
        assertThat(file).hasContent("gpu_left: 1\n");
        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(1);
    }

    @Test
    void aConcurrentlyChangedFileIsNotOverwritten() throws Exception {
        var file = write("config.yaml", "gpu_left: 1\n");
        var book =
                book(
                        ConfigSources.of(home),
                        next -> {
                            followed.add(next);
                            try {
                                Files.writeString(file, "gpu_left: 1 # mine\n");
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });

        var refused = refusal(book, Map.of("gpu_left", 3));

        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.CONFLICT);
        assertThat(refused.why().code()).isEqualTo("rule.file_changed");
        assertThat(file).hasContent("gpu_left: 1 # mine\n");
        assertThat(files()).containsExactly(file);
        assertThat(followed.stream().map(one -> one.lanes().rules().gpusLeft()))
                .containsExactly(3, 1);
        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(1);
    }

    @Test
    void severalFilesChangeAtomically() throws Exception {
        var lanes = write("config.yaml", "gpu_left: 1\n");
        var own = write("config/berth.yaml", "check_time: 5\n");
        var book =
                book(
                        ConfigSources.of(home),
                        _ -> {
                            try {
                                Files.writeString(own, "check_time: 6\n");
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });

        var refused = refusal(book, Map.of("gpu_left", 3, "check_time", 7));

        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.CONFLICT);
        assertThat(lanes).hasContent("gpu_left: 1\n");
        assertThat(own).hasContent("check_time: 6\n");
        assertThat(files()).containsExactlyInAnyOrder(lanes, own);
    }

    @Test
    void aMemoryChangeLastsUntilTheFileChanges() throws Exception {
        var file = write("config.yaml", "gpu_left: 1\n");
        var book = book();

        book.changeRules(Actor.BERTH, Map.of("gpu_left", 4), false);
        book.changeRules(Actor.BERTH, Map.of("check_time", 7), true);
        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(4);

        book.changeRules(Actor.BERTH, Map.of("gpu_left", 2), true);
        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(2);
        assertThat(book.current().entry("gpu_left").orElseThrow().source())
                .isEqualTo("config.yaml:1");
        assertThat(file).hasContent("gpu_left: 2\ncheck_time: 7\n");
    }

    @Test
    void theDefaultCanBeRestoredInMemory() throws Exception {
        write("config.yaml", "work_dir: /data\nforeign: yield\n");
        var book = book();
        var usual = new TreeMap<String, Object>();
        usual.put("work_dir", null);
        usual.put("foreign", null);

        book.changeRules(Actor.BERTH, usual, false);

        assertThat(book.current().lanes().rules().workDir().path()).isEqualTo(home.getParent());
        assertThat(book.current().entry("work_dir").orElseThrow().source()).isEqualTo("in memory");
        assertThat(book.current().gpus().yieldsToOthers()).isFalse();
    }

    @Test
    void settingsTakeEffectAfterARestart() throws Exception {
        var own = write("config/berth.yaml", "port: 1\nbackfill: off\nreserved_gpu_ids: [0]\n");
        var book = book();
        Files.writeString(own, "# more\nport: 2\nbackfill: off\nreserved_gpu_ids: [0, 1]\n");

        book.changeRules(Actor.BERTH, Map.of("memory_threshold_percent", 30), true);

        var now = followed.getLast();
        assertThat(now.gpus().thresholdPercent()).isEqualTo(30);
        assertThat(now.gpus().reserved()).containsExactly(0);
        assertThat(now.listening().port()).isEqualTo(1);
        assertThat(now.entry("port").orElseThrow().value()).isEqualTo(1L);
        assertThat(now.entry("backfill").orElseThrow().source()).isEqualTo("config/berth.yaml:3");
    }

    @Test
    void keepsFileModeAndSymbolicLink() throws Exception {
        var real = write("elsewhere/rules.yaml", "gpu_left: 1\n");
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-r-----"));
        var link = Files.createSymbolicLink(home.resolve("config.yaml"), real);

        book().changeRules(Actor.BERTH, Map.of("gpu_left", 2), true);

        assertThat(link).isSymbolicLink();
        assertThat(real).hasContent("gpu_left: 2\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(real)))
                .isEqualTo("rw-r-----");
        assertThat(files()).containsExactly(link, real);
    }

    @Test
    void aNewFileIsReadableByItsOwnerOnly() throws Exception {
        book().changeRules(Actor.BERTH, Map.of("gpu_left", 2), true);

        var own = home.resolve("config/berth.yaml");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void aWriteFailureIsReportedAndNothingIsApplied() throws Exception {
        var book = book();
        write("config", "a file where a directory belongs");

        var refused = refusal(book, Map.of("gpu_left", 2));

        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.UNAVAILABLE);
        assertThat(refused.why().code()).isEqualTo("rule.not_written");
        assertThat(followed).isEmpty();
        assertThat(book.current().lanes().rules().gpusLeft()).isEqualTo(1);
    }

    @Test
    void concurrentChangesAllTakeEffect() throws Exception {
        var file = write("config.yaml", "# rules\n");
        var book = book();
        var keys =
                List.of(
                        "gpu_left",
                        "check_time",
                        "assign_delay_seconds",
                        "memory_threshold_percent",
                        "start_confirm_timeout_seconds",
                        "retry_config.backoff_duration",
                        "retry_config.max_retries",
                        "retry_config.max_retry_before_backoff");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var work =
                    keys.stream()
                            .map(
                                    key ->
                                            (Callable<Void>)
                                                    () -> {
                                                        book.changeRules(
                                                                Actor.BERTH, Map.of(key, 42), true);
                                                        return null;
                                                    })
                            .toList();
            for (var done : threads.invokeAll(work)) {
                done.get();
            }
        }

        var now = Configuration.load(ConfigSources.of(home));
        assertThat(keys)
                .allSatisfy(key -> assertThat(now.entry(key).orElseThrow().value()).isEqualTo(42L));
        assertThat(Files.readString(file)).startsWith("# rules\n");
        assertThat(followed).hasSize(keys.size());
    }

    @Test
    void aChangeTellsWhoChangedWhichKeyFromWhatToWhat() throws Exception {
        var layers = ConfigSources.of(home);
        var edits = new ArrayList<ConfigEdit>();
        var book =
                new LiveConfiguration(
                        layers, Configuration.load(layers), _ -> {}, (_, edit) -> edits.add(edit));
        var ann = new Actor(Owner.unix("ann"), Optional.of(Via.TOKEN));

        book.changeRules(ann, Map.of("gpu_left", 3, "check_time", 5), true);
        book.changeRules(ann, Map.of("gpu_left", 3), true);
        book.changeRules(ann, Collections.singletonMap("gpu_left", null), false);
        book.saveSettings(ann, Map.of("public_url", "https://x"));
        book.saveSettings(ann, Map.of("public_url", "https://y"));

        assertThat(edits).extracting(ConfigEdit::actor).containsOnly(ann);
        assertThat(edits)
                .flatExtracting(ConfigEdit::changes)
                .containsExactly(
                        new ConfigEdit.KeyChange("gpu_left", "1", "3"),
                        new ConfigEdit.KeyChange("gpu_left", "3", "1"),
                        new ConfigEdit.KeyChange("public_url", "", "https://x"),
                        new ConfigEdit.KeyChange("public_url", "https://x", "https://y"));
    }

    @Test
    void rejectsASettingThatPreventsTheStart() throws Exception {
        var layers = ConfigSources.of(home);
        var book =
                new LiveConfiguration(
                        layers,
                        Configuration.load(layers),
                        next -> {
                            if (next.listening().publicUrl().equals(Optional.of("ftp://x"))) {
                                throw new IllegalArgumentException("public_url: no");
                            }
                        },
                        (next, _) -> followed.add(next));

        var refused =
                catchThrowableOfType(
                        ConfigChangeRejected.class,
                        () ->
                                book.saveSettings(
                                        Actor.BERTH, Map.of("public_url", "ftp://x", "port", 1)));

        assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.INVALID);
        assertThat(refused.why().field()).isEqualTo("public_url");
        assertThat(files()).isEmpty();
        book.saveSettings(Actor.BERTH, Map.of("public_url", "https://x"));
        assertThat(book.settings().needsRestart()).isTrue();
    }

    @Test
    void anOptionDoesNotPreventSavingASetting() throws Exception {
        var layers =
                new ConfigSources(
                        home,
                        Optional.empty(),
                        Map.of("BERTH_AUTO_PORT", "true"),
                        new TreeMap<>(Map.of("port", "0")));
        var book = book(layers, followed::add);
        assertThat(book.settings().needsRestart()).isFalse();

        book.saveSettings(Actor.BERTH, Map.of("port", 29_300));

        assertThat(book.settings().values()).containsEntry("port", 29_300L);
        assertThat(book.settings().needsRestart()).isTrue();
        assertThat(book.current().listening().port()).isZero();
        assertThatThrownBy(() -> book.saveSettings(Actor.BERTH, Map.of("auto_port", false)))
                .isInstanceOf(ConfigChangeRejected.class);
    }

    @Test
    void documentedKeysAreTheChangeableKeys() {
        // Keys with a name that a user chooses are described by the part before it.
        var families =
                ChangeableKeys.RULE_FAMILIES.stream()
                        .map(family -> family.group().split("\\.")[0])
                        .collect(Collectors.toSet());
        var rules =
                ChangeableKeys.RULES.stream()
                        .map(ConfigKey::name)
                        .filter(name -> !families.contains(name.split("\\.")[0]));
        assertThat(names("", RuleChange.class))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(rules, families.stream()).toList());
        assertThat(names("", SettingChange.class))
                .containsExactlyInAnyOrderElementsOf(
                        ChangeableKeys.SETTINGS.stream()
                                .map(ConfigKey::name)
                                .filter(name -> !name.equals("host"))
                                .toList());
    }

    private static List<String> names(String prefix, Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .<String>mapMulti(
                        (component, sink) -> {
                            var name = prefix + WireJson.wireName(component.getName());
                            if (component.getType().isRecord()) {
                                names(name + ".", component.getType()).forEach(sink);
                            } else {
                                sink.accept(name);
                            }
                        })
                .toList();
    }
}
