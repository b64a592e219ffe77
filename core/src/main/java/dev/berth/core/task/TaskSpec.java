package dev.berth.core.task;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
 * @param lane it runs after all before it there
 * @param mostRetries how often it is tried again after a failure; where absent a command file's
 *     task is for as long as its rules say, and any other is not
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
        SortedMap<String, String> environment,
        Optional<Lane> lane,
        OptionalInt mostRetries) {

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
                new TreeMap<>(Map.of()),
                Optional.empty(),
                OptionalInt.empty());
    }

    public TaskSpec with(Priority other) {
        return new TaskSpec(
                name,
                command,
                need,
                work,
                timeLimit,
                other,
                source,
                workDir,
                environment,
                lane,
                mostRetries);
    }

    public TaskSpec with(Need other) {
        return new TaskSpec(
                name,
                command,
                other,
                work,
                timeLimit,
                priority,
                source,
                workDir,
                environment,
                lane,
                mostRetries);
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
                environment,
                lane,
                mostRetries);
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
                environment,
                lane,
                mostRetries);
    }

    /** One of a lane, tried again as often as its lane does where no number is given. */
    public TaskSpec with(Lane other, OptionalInt retries) {
        return new TaskSpec(
                name,
                command,
                need,
                work,
                timeLimit,
                priority,
                source,
                workDir,
                environment,
                Optional.of(other),
                retries);
    }

    /** The same with other words to run. */
    public TaskSpec running(String script) {
        return new TaskSpec(
                name,
                script,
                need,
                work,
                timeLimit,
                priority,
                source,
                workDir,
                environment,
                lane,
                mostRetries);
    }

    /** The same with other surroundings. */
    public TaskSpec in(SortedMap<String, String> variables) {
        return new TaskSpec(
                name,
                command,
                need,
                work,
                timeLimit,
                priority,
                source,
                workDir,
                variables,
                lane,
                mostRetries);
    }

    /** The same by another entrance. */
    public TaskSpec from(Source other) {
        return new TaskSpec(
                name,
                command,
                need,
                work,
                timeLimit,
                priority,
                other,
                workDir,
                environment,
                lane,
                mostRetries);
    }

    /** The memory of a card that it says it needs. */
    public OptionalLong statedMib() {
        return switch (need) {
            case Need.Cpu _ -> OptionalLong.empty();
            case Need.Cards cards -> cards.memory().mib();
        };
    }

    /** Of a started command file, if it is. */
    public Optional<Lane.OfRun> ofRun() {
        return lane.filter(Lane.OfRun.class::isInstance).map(Lane.OfRun.class::cast);
    }

    /** The command and the environment are the owner's secrets: this is what a log line may say. */
    @Override
    public String toString() {
        return "TaskSpec[" + name + ", " + need + ", " + priority + "]";
    }
}
