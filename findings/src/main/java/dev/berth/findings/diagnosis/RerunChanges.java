package dev.berth.findings.diagnosis;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What to change when a task is run again.
 *
 * @param memoryMib memory to state for each GPU
 * @param environment variables to add
 */
public record RerunChanges(OptionalLong memoryMib, SortedMap<String, String> environment) {

    public RerunChanges {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    boolean isEmpty() {
        return memoryMib.isEmpty() && environment.isEmpty();
    }
}
