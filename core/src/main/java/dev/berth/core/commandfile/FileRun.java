package dev.berth.core.commandfile;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One execution of a command file. Its tasks have consecutive ids, in the file's order.
 *
 * @param id never reused in one home
 * @param configIndex the file's index among those of its mode; empty if it is not in the home
 * @param file path it was read from
 * @param firstTask the lowest id of its tasks
 * @param taskCount number of its tasks
 * @param leftOut why blocks of the file are not part of it, by line
 */
public record FileRun(
        long id,
        FileMode mode,
        OptionalInt configIndex,
        String file,
        Origin origin,
        Owner owner,
        Instant startedAt,
        TaskId firstTask,
        int taskCount,
        List<BlockProblem> leftOut,
        Stage stage) {

    public FileRun {
        leftOut = List.copyOf(leftOut);
    }

    /** Where it was started, which decides where its log goes. */
    public enum Origin {
        CONSOLE,
        TERMINAL
    }

    public sealed interface Stage {
        record Running() implements Stage {}

        /** Waiting tasks were cancelled, running tasks are being stopped. */
        record Stopping(Instant since) implements Stage {}

        /** All of its tasks have ended. */
        record Finished(Instant at) implements Stage {}

        /** A person stopped it; running tasks continue if the person chose so. */
        record Stopped(Instant at) implements Stage {}

        /** The name in the API. */
        default String apiName() {
            return switch (this) {
                case Running _ -> "running";
                case Stopping _ -> "stopping";
                case Finished _ -> "finished";
                case Stopped _ -> "stopped";
            };
        }
    }

    public boolean hasEnded() {
        return endedAt().isPresent();
    }

    public Optional<Instant> endedAt() {
        return switch (stage) {
            case Stage.Running _, Stage.Stopping _ -> Optional.empty();
            case Stage.Finished(Instant at) -> Optional.of(at);
            case Stage.Stopped(Instant at) -> Optional.of(at);
        };
    }

    /** The first id after those of its tasks. */
    public TaskId endTask() {
        return new TaskId(firstTask.value() + taskCount);
    }

    /**
     * Number of its tasks that have not ended.
     *
     * @param unfinished all tasks that have not ended
     */
    public int unfinishedTasks(PersistentMap<TaskId, ?> unfinished) {
        return unfinished.rank(endTask()) - unfinished.rank(firstTask);
    }

    public FileRun with(Stage other) {
        return new FileRun(
                id,
                mode,
                configIndex,
                file,
                origin,
                owner,
                startedAt,
                firstTask,
                taskCount,
                leftOut,
                other);
    }
}
