package dev.berth.node;

import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.ExitWatcher;

/** Events that interrupt the watching of an attempt. */
sealed interface RunnerSignal {
    /** The shim has ended. */
    record ShimEnded(ExitWatcher.ProcessEnd end) implements RunnerSignal {}

    /**
     * The command has ended and has left no process: its shim says so, after it has written the
     * exit record.
     */
    record CommandEnded(int code) implements RunnerSignal {}

    /** The thread that watches the shims has reported the end already. */
    record EndReported() implements RunnerSignal {}

    record Stop() implements RunnerSignal {}

    /** The shim did not start in time, and the tombstone now prevents a later start. */
    record TooLate() implements RunnerSignal {}

    /** A person named the process of a lost attempt. */
    record Watch(ShimProcess process) implements RunnerSignal {}

    /** A person decided that the attempt is over. */
    record Forget() implements RunnerSignal {}

    /** This server is closing. The attempt keeps running. */
    record Abandon() implements RunnerSignal {}

    default boolean isEnd() {
        return this instanceof ShimEnded || this instanceof CommandEnded;
    }
}
