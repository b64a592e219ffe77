package dev.berth.core.task;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a task runs.
 *
 * @param command script text; its lines share one shell
 * @param workDir absolute directory that the script starts in
 * @param environment added to the server's own; shown only to the owner and never logged
 */
public record Script(String command, String workDir, SortedMap<String, String> environment) {

    public Script {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    public static Script of(String command, String workDir) {
        return new Script(command, workDir, new TreeMap<>());
    }

    public Script withCommand(String other) {
        return new Script(other, workDir, environment);
    }

    public Script withEnvironment(SortedMap<String, String> variables) {
        return new Script(command, workDir, variables);
    }

    /** The command and the environment are the owner's secrets. */
    @Override
    public String toString() {
        return "Script[" + workDir + "]";
    }
}
