package dev.berth.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The configuration files on disk, some of them replaced by texts that are not written yet.
 *
 * @param texts the unwritten text of a file, by path
 */
record FileDrafts(SortedMap<Path, String> texts) {

    static final FileDrafts NONE = new FileDrafts(new TreeMap<>());

    FileDrafts {
        texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
    }

    boolean exists(ConfigSources.ConfigFile file) {
        return texts.containsKey(file.path()) || Files.exists(file.path());
    }

    String text(ConfigSources.ConfigFile file) throws InvalidConfigException {
        var draft = texts.get(file.path());
        return draft != null ? draft : YamlReader.readText(file.path(), file.displayName());
    }
}
