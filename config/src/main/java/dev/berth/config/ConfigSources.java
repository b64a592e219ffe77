package dev.berth.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The sources of configuration values; a later source has precedence.
 *
 * @param home the directory of the files; paths in them are relative to it
 * @param explicitFile a file used in place of {@code config/berth.yaml}
 * @param environment {@code BERTH_PORT} sets {@code port}, and so on
 * @param options command line options, by key
 */
public record ConfigSources(
        Path home,
        Optional<Path> explicitFile,
        Map<String, String> environment,
        SortedMap<String, String> options) {

    /** The source of an option starts with this text. */
    public static final String OPTION_SOURCE = "command line";

    /** The source of a value that is not set. */
    public static final String DEFAULT_SOURCE = "default";

    /** The source of a value that is lost when the server stops. */
    public static final String MEMORY_SOURCE = "in memory";

    /**
     * The file of the earlier GPU competition scheduler; a home that has it keeps that scheduler's
     * behaviour.
     */
    static final String LANES_FILE = "config.yaml";

    static final String BERTH_FILE = "config/berth.yaml";
    private static final String RULES_FILE = "config/gpu_manage.yaml";
    private static final String SETTINGS_FILE = "config/control_setting.yaml";

    public ConfigSources {
        options = new TreeMap<>(options);
    }

    /** Only the files of a home. */
    public static ConfigSources of(Path home) {
        return new ConfigSources(home, Optional.empty(), Map.of(), new TreeMap<>());
    }

    /** Without command line options, which apply to a single start. */
    ConfigSources withoutOptions() {
        return new ConfigSources(home, explicitFile, environment, new TreeMap<>());
    }

    /**
     * @param displayName the name in messages
     */
    record ConfigFile(Path path, String displayName) {}

    /** Has precedence over the other files. */
    ConfigFile berthFile() {
        return explicitFile
                .map(path -> new ConfigFile(path, path.toString()))
                .orElse(inHome(BERTH_FILE));
    }

    ConfigFile settingsFile() {
        return inHome(SETTINGS_FILE);
    }

    ConfigFile rulesFile() {
        return inHome(RULES_FILE);
    }

    /** The file with the keys of lanes, as {@code config_path} names it. */
    ConfigFile lanesFile(String configPath) {
        var written = Path.of(configPath).normalize();
        return new ConfigFile(home.resolve(written), written.toString());
    }

    /** In ascending precedence; a file that is listed twice counts at its highest position. */
    List<ConfigFile> files(ConfigFile lanes) {
        var files = new ArrayList<ConfigFile>();
        for (var file : List.of(settingsFile(), rulesFile(), lanes, berthFile())) {
            files.removeIf(other -> other.path().equals(file.path()));
            files.add(file);
        }
        return files;
    }

    private ConfigFile inHome(String name) {
        return new ConfigFile(home.resolve(name), name);
    }
}
