package dev.berth.port.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;

import java.io.IOException;
import java.util.List;
import java.util.SortedMap;

/** What a home shows about its tasks apart from its database: directories and processes. */
public interface HomeTraces {

    /** The ids of all tasks that have a directory, in ascending order. */
    List<Long> folders();

    /** The numbers of the attempts that have a directory, in ascending order. */
    List<Integer> attempts(TaskId task) throws IOException;

    AttemptRecord record(AttemptId id) throws IOException;

    SortedMap<AttemptId, LivingAttempt> living();

    /** True if a tombstone keeps the attempt from starting. */
    boolean isClosed(AttemptId id) throws IOException;

    /** The highest id that has a directory; 0 if none has. */
    default long highestFolder() {
        return folders().isEmpty() ? 0 : folders().getLast();
    }
}
