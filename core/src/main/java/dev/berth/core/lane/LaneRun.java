package dev.berth.core.lane;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One start of a command file. Its tasks have consecutive ids, in the file's order.
 *
 * @param id unique for ever in one home
 * @param config the file's place among those of its mode, if it is one of the home's
 * @param file where it was read
 * @param first the lowest of its tasks' ids
 * @param count of its tasks
 */
public record LaneRun(
        long id,
        Mode mode,
        OptionalInt config,
        String file,
        Origin origin,
        Owner owner,
        Instant startedAt,
        TaskId first,
        int count,
        Stage stage) {

    /** Who started it, which decides where its log goes. */
    public enum Origin {
        CONSOLE,
        TERMINAL
    }

    /** How far it is. */
    public sealed interface Stage {
        record Live() implements Stage {}

        /** What waits was cancelled, what runs is being ended. */
        record Stopping(Instant since) implements Stage {}

        /** All of its tasks have ended. */
        record Finished(Instant at) implements Stage {}

        /** Somebody stopped it; where that was asked for, what ran goes on by itself. */
        record Stopped(Instant at) implements Stage {}

        /** The word on the wire. */
        default String word() {
            return switch (this) {
                case Live _ -> "running";
                case Stopping _ -> "stopping";
                case Finished _ -> "finished";
                case Stopped _ -> "stopped";
            };
        }
    }

    public boolean isOver() {
        return endedAt().isPresent();
    }

    public Optional<Instant> endedAt() {
        return switch (stage) {
            case Stage.Live _, Stage.Stopping _ -> Optional.empty();
            case Stage.Finished(Instant at) -> Optional.of(at);
            case Stage.Stopped(Instant at) -> Optional.of(at);
        };
    }

    /** Above the ids of all of its tasks. */
    public TaskId end() {
        return new TaskId(first.value() + count);
    }

    /** How many of its tasks are among these, which are all that have not ended. */
    public int left(PersistentMap<TaskId, ?> unfinished) {
        return unfinished.rank(end()) - unfinished.rank(first);
    }

    public LaneRun at(Stage other) {
        return new LaneRun(id, mode, config, file, origin, owner, startedAt, first, count, other);
    }
}
