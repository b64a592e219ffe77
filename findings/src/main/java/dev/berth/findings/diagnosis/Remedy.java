package dev.berth.findings.diagnosis;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What to do about a failure.
 *
 * @param code of the sentence in the catalogue of messages: the cause, and its variant if it has
 *     several
 * @param params the values of the sentence
 * @param rerun changes with which another run may succeed; empty if none are known
 */
public record Remedy(String code, SortedMap<String, String> params, Optional<RerunChanges> rerun) {

    public Remedy {
        params = Collections.unmodifiableSortedMap(new TreeMap<>(params));
    }
}
