package dev.berth.port.read;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.StoreFailure;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tasks that may be removed: they have ended, and so has the file run that they belong to. Any
 * thread may ask.
 */
public interface EndedTasks {

    /** The names of all final states in the API. */
    Set<String> ALL_STATES = Set.of("completed", "failed", "cancelled");

    /** Those that ended first come first. */
    List<EndedTask> list(Selection selection, Position after, int limit) throws StoreFailure;

    long count(Selection selection) throws StoreFailure;

    record EndedTask(TaskId id, Owner owner, Instant endedAt) {
        public Position position() {
            return new Position(endedAt, id.value());
        }
    }

    /** A place in the order of the list: only tasks after it. */
    record Position(Instant endedAt, long id) {
        public static final Position START = new Position(Instant.EPOCH, 0);
    }

    /**
     * Selects some of them.
     *
     * @param states names of final states in the API
     * @param endedBefore only those that ended before this time
     * @param owner the name of their owner
     * @param name a glob pattern of their names
     */
    record Selection(
            Set<String> states,
            Optional<Instant> endedBefore,
            Optional<String> owner,
            Optional<String> name) {

        public static final Selection ALL =
                new Selection(ALL_STATES, Optional.empty(), Optional.empty(), Optional.empty());

        public Selection {
            states = Set.copyOf(states);
        }

        public static Selection endedBefore(Instant time) {
            return new Selection(ALL_STATES, Optional.of(time), Optional.empty(), Optional.empty());
        }
    }
}
