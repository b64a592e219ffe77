package dev.berth.port.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.port.StoreFailure;

import java.util.List;
import java.util.SortedMap;

/**
 * What a home shows about its tasks apart from its database: directories and processes. Each method
 * fails if they cannot be read or written.
 */
public interface HomeTraces {

    /** The ids of all tasks that have a directory, in ascending order. */
    List<Long> folders();

    /** The numbers of the attempts that have a directory, in ascending order. */
    List<Integer> attempts(TaskId task) throws StoreFailure;

    AttemptRecord record(AttemptId id) throws StoreFailure;

    SortedMap<AttemptId, LivingAttempt> living();

    /** True if a tombstone keeps the attempt from starting. */
    boolean isClosed(AttemptId id) throws StoreFailure;

    /**
     * Keeps the attempt from ever starting.
     *
     * @return false if it has started
     */
    boolean close(AttemptId id) throws StoreFailure;

    /** The highest id that has a directory; 0 if none has. */
    default long highestFolder() {
        return folders().isEmpty() ? 0 : folders().getLast();
    }
}
