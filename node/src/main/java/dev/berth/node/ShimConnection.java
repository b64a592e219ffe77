package dev.berth.node;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.shim.ConnectedShim;
import dev.berth.node.shim.SpareShims;

import java.io.IOException;
import java.util.Optional;

/**
 * The connection to the shim of an attempt, if it was started ahead. On it the shim says that its
 * command has ended and has left no process. It then waits until that is stored: otherwise it has
 * to sync its exit record.
 */
final class ShimConnection implements AutoCloseable {

    static final ShimConnection NONE = new ShimConnection(Optional.empty());

    private final Optional<Spare> shim;

    /** The attempt is over for the shim. */
    private boolean isReleased;

    private record Spare(ConnectedShim shim, SpareShims spares) {}

    private ShimConnection(Optional<Spare> shim) {
        this.shim = shim;
    }

    /**
     * @param spares of which the shim is one
     */
    static ShimConnection of(ConnectedShim shim, SpareShims spares) {
        return new ShimConnection(Optional.of(new Spare(shim, spares)));
    }

    /** A shim that was started ahead is watched already, and its signals are never removed. */
    ExitWatcher.Watch watch(ExitWatcher watcher, ProcessKey process, RunnerSignals signals)
            throws IOException {
        if (shim.isPresent()) {
            return () -> {};
        }
        // Those of an earlier watch.
        signals.removeEnds();
        return watcher.watch(process, signals::shimEnded);
    }

    /**
     * The shim has nothing more to do for the attempt.
     *
     * @return to be called when the end is stored: the shim is a spare again, or ends
     */
    Runnable release() {
        isReleased = true;
        shim.ifPresent(one -> one.shim().forgetAttempt());
        return () -> shim.ifPresent(one -> one.spares().takeBack(one.shim()));
    }

    /** Nobody will answer the shim: it syncs its exit record at once. */
    void hangUp() {
        shim.ifPresent(one -> one.shim().hangUp());
    }

    /** A shim that has not ended is reaped when it ends. */
    @Override
    public void close() {
        if (!isReleased) {
            hangUp();
            shim.ifPresent(one -> one.shim().forgetAttempt());
        }
    }
}
