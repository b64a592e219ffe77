package dev.berth.node;

import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.ExitWatcher;

/** Events that interrupt the watching of an attempt. */
sealed interface RunnerSignal {
    /** The shim has ended. */
    record ShimEnded(ExitWatcher.ProcessEnd end) implements RunnerSignal {}

    record Stop() implements RunnerSignal {}

    /** The shim did not start in time, and the tombstone now prevents a later start. */
    record TooLate() implements RunnerSignal {}

    /** A person named the process of a lost attempt. */
    record Watch(ShimProcess process) implements RunnerSignal {}

    /** A person decided that the attempt is over. */
    record Forget() implements RunnerSignal {}

    /** This server is closing. The attempt keeps running. */
    record Abandon() implements RunnerSignal {}
}
