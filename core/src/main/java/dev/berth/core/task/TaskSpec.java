package dev.berth.core.task;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was asked for, as it was asked.
 *
 * @param command script text; its lines share one shell
 * @param workDir absolute directory that the script starts in
 * @param work what makes it a model task
 * @param timeLimit it is ended when its process has lived for so long
 * @param environment added to the server's own; shown to nobody but the owner and never logged
 */
public record TaskSpec(
        String name,
        String command,
        Need need,
        Optional<ModelWork> work,
        Optional<Duration> timeLimit,
        Priority priority,
        Source source,
        String workDir,
        SortedMap<String, String> environment) {

    public TaskSpec {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    public static TaskSpec of(String name, String command, Need need, String workDir) {
        return new TaskSpec(
                name,
                command,
                need,
                Optional.empty(),
                Optional.empty(),
                Priority.NORMAL,
                Source.API,
                workDir,
                new TreeMap<>(Map.of()));
    }

    public TaskSpec with(Priority other) {
        return new TaskSpec(
                name, command, need, work, timeLimit, other, source, workDir, environment);
    }

    public TaskSpec with(ModelWork other) {
        return new TaskSpec(
                name,
                command,
                need,
                Optional.of(other),
                timeLimit,
                priority,
                source,
                workDir,
                environment);
    }

    public TaskSpec with(Duration limit) {
        return new TaskSpec(
                name,
                command,
                need,
                work,
                Optional.of(limit),
                priority,
                source,
                workDir,
                environment);
    }

    /** The command and the environment are the owner's secrets: this is what a log line may say. */
    @Override
    public String toString() {
        return "TaskSpec[" + name + ", " + need + ", " + priority + "]";
    }
}
