package dev.berth.port.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.port.StoreFailure;

import java.util.List;
import java.util.OptionalInt;

/** The tasks in a database that no server has opened yet. */
public interface StoredTasks {

    /** The highest task id that was ever used; 0 if there was none. */
    long lastTask() throws StoreFailure;

    /** The ids of all tasks that have not ended. */
    List<Long> unfinishedTasks() throws StoreFailure;

    /** Those of them up to this id: tasks that wait are mostly newer than those that have run. */
    default List<Long> unfinishedTasksUpTo(long id) throws StoreFailure {
        return unfinishedTasks().stream().filter(task -> task <= id).toList();
    }

    /** How many attempts the task has had; empty if the task is not known. */
    OptionalInt attempts(long task) throws StoreFailure;

    /** True if the attempt is known and has not ended. */
    boolean isLive(AttemptId id) throws StoreFailure;
}
