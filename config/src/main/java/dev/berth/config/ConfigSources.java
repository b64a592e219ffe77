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
 * @param keepsChangesInHome true if {@code explicitFile} is root's, so that the server cannot write
 *     it: changes are in a file of the home, which has precedence over it
 */
public record ConfigSources(
        Path home,
        Optional<Path> explicitFile,
        Map<String, String> environment,
        SortedMap<String, String> options,
        boolean keepsChangesInHome) {

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
    static final String CHANGES_FILE = "config/changes.yaml";
    private static final String RULES_FILE = "config/gpu_manage.yaml";
    private static final String SETTINGS_FILE = "config/control_setting.yaml";

    public ConfigSources {
        options = new TreeMap<>(options);
    }

    /** With files that the server may write. */
    public ConfigSources(
            Path home,
            Optional<Path> explicitFile,
            Map<String, String> environment,
            SortedMap<String, String> options) {
        this(home, explicitFile, environment, options, false);
    }

    /** For a server of the machine: the files outside of its home are root's. */
    public ConfigSources withChangesInHome() {
        return new ConfigSources(home, explicitFile, environment, options, true);
    }

    /** Only the files of a home. */
    public static ConfigSources of(Path home) {
        return new ConfigSources(home, Optional.empty(), Map.of(), new TreeMap<>());
    }

    /** Without command line options, which apply to a single start. */
    ConfigSources withoutOptions() {
        return new ConfigSources(
                home, explicitFile, environment, new TreeMap<>(), keepsChangesInHome);
    }

    /**
     * @param displayName the name in messages
     */
    record ConfigFile(Path path, String displayName) {}

    /** Has precedence over the other files, except changes. */
    ConfigFile berthFile() {
        return explicitFile
                .map(path -> new ConfigFile(path, path.toString()))
                .orElse(inHome(BERTH_FILE));
    }

    /** The file that changes are written to, if no other one of the home suits them. */
    ConfigFile changesFile() {
        return rootsFile().isPresent() ? inHome(CHANGES_FILE) : berthFile();
    }

    /** The file that the server cannot write. */
    Optional<ConfigFile> rootsFile() {
        return explicitFile.filter(_ -> keepsChangesInHome).map(_ -> berthFile());
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
        for (var file : List.of(settingsFile(), rulesFile(), lanes, berthFile(), changesFile())) {
            files.removeIf(other -> other.path().equals(file.path()));
            files.add(file);
        }
        return files;
    }

    private ConfigFile inHome(String name) {
        return new ConfigFile(home.resolve(name), name);
    }
}
