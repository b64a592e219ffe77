package dev.berth.node;

import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.shim.ConnectedShim;

import java.util.concurrent.BlockingQueue;

/** Events that interrupt the watching of an attempt. */
sealed interface RunnerSignal {
    /** The shim has ended. */
    record ShimEnded(ExitWatcher.ProcessEnd end) implements RunnerSignal {}

    /**
     * The command has ended and has left no process: its shim says so, after it has written the
     * exit record.
     */
    record CommandEnded(int code) implements RunnerSignal {}

    record Stop() implements RunnerSignal {}

    /** The shim did not start in time, and the tombstone now prevents a later start. */
    record TooLate() implements RunnerSignal {}

    /** A person named the process of a lost attempt. */
    record Watch(ShimProcess process) implements RunnerSignal {}

    /** A person decided that the attempt is over. */
    record Forget() implements RunnerSignal {}

    /** This server is closing. The attempt keeps running. */
    record Abandon() implements RunnerSignal {}

    /** Adds what happens to a shim to these signals. */
    static ConnectedShim.Listener listener(BlockingQueue<RunnerSignal> signals) {
        return new ConnectedShim.Listener() {
            @Override
            public void commandEnded(int code) {
                signals.add(new CommandEnded(code));
            }

            @Override
            public void shimEnded(ExitWatcher.ProcessEnd end) {
                signals.add(new ShimEnded(end));
            }
        };
    }

    default boolean isEnd() {
        return this instanceof ShimEnded || this instanceof CommandEnded;
    }
}
