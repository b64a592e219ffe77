package dev.berth.port.read;

import dev.berth.core.predict.PastRun;
import dev.berth.core.predict.RunKind;
import dev.berth.port.StoreFailure;

import java.util.function.BiConsumer;

/** The ended runs in the store. For any thread. */
public interface EndedRuns {

    /**
     * The last run of each of the newest ended tasks, oldest first, without forgotten ones.
     *
     * @param maxTasks how many tasks are read
     */
    void readEndedRuns(int maxTasks, BiConsumer<RunKind, PastRun> consumer) throws StoreFailure;
}
