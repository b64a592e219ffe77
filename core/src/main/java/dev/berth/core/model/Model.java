package dev.berth.core.model;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A model that workers keep loaded.
 *
 * @param worker the command that starts a worker
 * @param memoryMib GPU memory of a loaded worker, as estimated
 * @param isPrewarmed a worker is loaded when the server starts
 * @param environment added to that of the server; never logged
 * @param workDir absolute directory that a worker starts in
 * @param idleTime a worker without work for this time is unloaded; absent: as configured for all
 */
public record Model(
        String name,
        String worker,
        long memoryMib,
        boolean isPrewarmed,
        SortedMap<String, String> environment,
        String workDir,
        Optional<Duration> idleTime) {

    public Model {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** The command and the environment may contain secrets. */
    @Override
    public String toString() {
        return "Model[" + name + "]";
    }
}
