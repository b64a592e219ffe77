package dev.berth.findings.diagnosis;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an advice depends on besides the diagnosis.
 *
 * @param statedMib GPU memory that the task states it needs
 * @param largestGpuMib the most memory that a GPU could give to this task; empty if unknown
 */
public record TaskContext(
        String workDir,
        SortedMap<String, String> environment,
        OptionalLong statedMib,
        OptionalLong largestGpuMib) {

    public TaskContext {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** The environment is the owner's secret and never logged. */
    @Override
    public String toString() {
        return "TaskContext[" + workDir + ", " + statedMib + ", " + largestGpuMib + "]";
    }
}
