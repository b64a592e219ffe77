package dev.berth.findings.diagnosis;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Why a task failed.
 *
 * @param line the decisive line of its log
 * @param params values from the line, like {@code module} or {@code port}
 */
public record Diagnosis(Cause cause, String line, SortedMap<String, String> params) {

    /** Parameter: which of several kinds of the cause it is. */
    static final String KIND = "kind";

    /** Parameter: file and line of the last frame in the user's own code. */
    static final String FRAME = "frame";

    public Diagnosis {
        params = Collections.unmodifiableSortedMap(new TreeMap<>(params));
    }

    public Diagnosis(Cause cause, String line) {
        this(cause, line, new TreeMap<>());
    }
}
