package dev.berth.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where values come from; a later place wins.
 *
 * @param home whose files are read, and to which paths in them are relative
 * @param named a file that stands in for {@code config/berth.yaml}
 * @param environment {@code BERTH_PORT} sets {@code port}, and so on
 * @param words what the command line sets, by key
 */
public record Layers(
        Path home,
        Optional<Path> named,
        Map<String, String> environment,
        SortedMap<String, String> words) {

    /** How the source of a value begins that was given as an option. */
    public static final String WORDS = "command line";

    /** The source of a value that nobody has set. */
    public static final String USUAL = "default";

    /** The source of a value that holds until the server ends. */
    public static final String MEMORY = "in memory";

    /** The file that the competition scheduler had; a home with it keeps that one's manners. */
    static final String LANES_FILE = "config.yaml";

    static final String OWN_FILE = "config/berth.yaml";
    private static final String RULES_FILE = "config/gpu_manage.yaml";
    private static final String SETTINGS_FILE = "config/control_setting.yaml";

    public Layers {
        words = new TreeMap<>(words);
    }

    /** Nothing but the files of a home. */
    public static Layers of(Path home) {
        return new Layers(home, Optional.empty(), Map.of(), new TreeMap<>());
    }

    /** As they are without what was said for this once. */
    Layers withoutWords() {
        return new Layers(home, named, environment, new TreeMap<>());
    }

    /**
     * @param shown its name for people
     */
    record File(Path path, String shown) {}

    /** Wins over the other files. */
    File own() {
        return named.map(path -> new File(path, path.toString())).orElse(inHome(OWN_FILE));
    }

    File settings() {
        return inHome(SETTINGS_FILE);
    }

    File rules() {
        return inHome(RULES_FILE);
    }

    /** The file of the lanes' keys, by what {@code config_path} says. */
    File lanes(String configPath) {
        var written = Path.of(configPath).normalize();
        return new File(home.resolve(written), written.toString());
    }

    /** The least important first; one that is meant twice counts where it counts most. */
    List<File> files(File lanes) {
        var files = new ArrayList<File>();
        for (var file : List.of(settings(), rules(), lanes, own())) {
            files.removeIf(other -> other.path().equals(file.path()));
            files.add(file);
        }
        return files;
    }

    private File inHome(String name) {
        return new File(home.resolve(name), name);
    }
}
