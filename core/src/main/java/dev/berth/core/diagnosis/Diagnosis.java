package dev.berth.core.diagnosis;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Why a task failed.
 *
 * @param line of its log that shows it
 * @param params what the line names, like {@code module} or {@code port}
 */
public record Diagnosis(Cause cause, String line, SortedMap<String, String> params) {

    public Diagnosis {
        params = Collections.unmodifiableSortedMap(new TreeMap<>(params));
    }

    public Diagnosis(Cause cause, String line) {
        this(cause, line, new TreeMap<>());
    }
}
