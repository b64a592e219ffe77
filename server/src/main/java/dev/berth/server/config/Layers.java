package dev.berth.server.config;

import java.nio.file.Path;
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

    /** The file that the competition scheduler had; a home with it keeps that one's manners. */
    static final String LANES_FILE = "config.yaml";

    /** How the source of a value begins that was given as an option. */
    public static final String WORDS = "command line";

    static final String OWN_FILE = "config/berth.yaml";

    public Layers {
        words = new TreeMap<>(words);
    }

    /** Nothing but the files of a home. */
    public static Layers of(Path home) {
        return new Layers(home, Optional.empty(), Map.of(), new TreeMap<>());
    }

    record File(Path path, String shown) {}

    /** The least important first. */
    List<File> files() {
        return List.of(
                inHome("config/control_setting.yaml"),
                inHome("config/gpu_manage.yaml"),
                inHome(LANES_FILE),
                named.map(path -> new File(path, path.toString())).orElse(inHome(OWN_FILE)));
    }

    private File inHome(String name) {
        return new File(home.resolve(name), name);
    }
}
