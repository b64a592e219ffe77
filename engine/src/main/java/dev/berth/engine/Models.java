package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.model.Model;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All models that have workers.
 *
 * @param configured those of the configuration, which only the configuration changes
 * @param added those that were added by a request
 */
public record Models(SortedMap<String, Model> configured, PersistentMap<String, Model> added) {

    public Optional<Model> find(String name) {
        return Optional.ofNullable(configured.get(name)).or(() -> added.get(name));
    }

    public boolean isConfigured(String name) {
        return configured.containsKey(name);
    }

    public SortedMap<String, Model> all() {
        var all = new TreeMap<String, Model>();
        added.forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        all.putAll(configured);
        return all;
    }

    /** The memory of each model, in MiB. */
    SortedMap<String, Long> memoryMib() {
        var memory = new TreeMap<String, Long>();
        all().values().stream()
                .filter(model -> model.memoryMib() > 0)
                .forEach(model -> memory.put(model.name(), model.memoryMib()));
        return memory;
    }
}
