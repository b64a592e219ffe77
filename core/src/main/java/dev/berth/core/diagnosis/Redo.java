package dev.berth.core.diagnosis;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What to change when a task is run again.
 *
 * @param memoryMib to state for each card
 * @param environment to add
 */
public record Redo(OptionalLong memoryMib, SortedMap<String, String> environment) {

    public Redo {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    boolean isNothing() {
        return memoryMib.isEmpty() && environment.isEmpty();
    }
}
