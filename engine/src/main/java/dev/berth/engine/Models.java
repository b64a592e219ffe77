package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.model.Model;
import dev.berth.core.task.Owner;

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

    /** The models that tasks of this user may name. */
    SortedMap<String, Model> usableBy(Owner user) {
        var usable = all();
        usable.values().removeIf(model -> !model.access().isOpenTo(user));
        return usable;
    }

    /** How many models were added by a request of this user, for this user alone. */
    long countOf(Owner owner) {
        return added.values()
                .filter(model -> model.access().owner().equals(Optional.of(owner)))
                .count();
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
