package dev.berth.server.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files as they are, but for some that are thought to be otherwise.
 *
 * @param texts what would be in a file, by its path
 */
record Drafts(SortedMap<Path, String> texts) {

    static final Drafts NONE = new Drafts(new TreeMap<>());

    Drafts {
        texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
    }

    boolean has(Layers.File file) {
        return texts.containsKey(file.path()) || Files.exists(file.path());
    }

    String text(Layers.File file) throws ConfigRefused {
        var draft = texts.get(file.path());
        return draft != null ? draft : YamlFile.text(file.path(), file.shown());
    }
}
