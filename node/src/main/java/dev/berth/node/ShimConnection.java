package dev.berth.node;

import dev.berth.node.process.ExitWatcher;
import dev.berth.node.shim.SpareShims;
import dev.berth.node.shim.SpareShims.ConnectedShim;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * The connection to a shim that this process started, if it has one. On it the shim says that its
 * command has ended and has left no process. It then waits until that is stored: otherwise it has
 * to sync its exit record.
 */
final class ShimConnection implements AutoCloseable {

    static final ShimConnection NONE = new ShimConnection(Optional.empty());

    private static final Logger log = LoggerFactory.getLogger(ShimConnection.class);

    /** Any byte says so, except the one that keeps the shim as a spare. */
    private static final byte[] STORED = {'s'};

    private final Optional<Spare> shim;

    /** Another attempt may use the connection. */
    private volatile boolean isReturned;

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

    /**
     * @param onEnd called once with the exit code, if the shim says that its command has ended
     */
    ExitWatcher.Watch listen(ExitWatcher watcher, IntConsumer onEnd) throws IOException {
        return shim.isPresent()
                ? watcher.listen(
                        shim.get().shim().connection(),
                        code -> onEnd.accept(Byte.toUnsignedInt(code)))
                : () -> {};
    }

    /**
     * The end is stored.
     *
     * @param onReturn called if the shim is a spare again; otherwise it ends
     */
    void release(Runnable onReturn) {
        if (shim.isEmpty()) {
            return;
        }
        var one = shim.get();
        isReturned = one.spares().takeBack(one.shim());
        if (isReturned) {
            onReturn.run();
            return;
        }
        try {
            one.shim().connection().send(STORED);
        } catch (IOException ended) {
            log.debug("a shim has ended before its end was stored", ended);
        }
    }

    /** Nobody will answer the shim: it syncs its exit record at once. */
    void hangUp() {
        try {
            if (shim.isPresent()) {
                shim.get().shim().connection().hangUp();
            }
        } catch (IOException ended) {
            log.debug("a shim has ended before it was hung up", ended);
        }
    }

    @Override
    public void close() {
        try {
            if (shim.isPresent() && !isReturned) {
                shim.get().shim().connection().close();
            }
        } catch (IOException failure) {
            log.debug("closing the connection to a shim", failure);
        }
    }
}
