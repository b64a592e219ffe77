package dev.berth.node;

import dev.berth.node.linux.Connection;
import dev.berth.node.process.ExitWatcher;

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
record ShimConnection(Optional<Connection> connection) implements AutoCloseable {

    static final ShimConnection NONE = new ShimConnection(Optional.empty());

    private static final Logger log = LoggerFactory.getLogger(ShimConnection.class);

    /** Any byte says so. */
    private static final byte[] STORED = {'s'};

    /**
     * @param onEnd called once with the exit code, if the shim says that its command has ended
     */
    ExitWatcher.Watch listen(ExitWatcher watcher, IntConsumer onEnd) throws IOException {
        return connection.isPresent()
                ? watcher.listen(connection.get(), code -> onEnd.accept(Byte.toUnsignedInt(code)))
                : () -> {};
    }

    /** The end is stored. */
    void release() {
        try {
            if (connection.isPresent()) {
                connection.get().send(STORED);
            }
        } catch (IOException ended) {
            log.debug("a shim has ended before its end was stored", ended);
        }
    }

    /** Nobody will answer the shim: it syncs its exit record at once. */
    void hangUp() {
        try {
            if (connection.isPresent()) {
                connection.get().hangUp();
            }
        } catch (IOException ended) {
            log.debug("a shim has ended before it was hung up", ended);
        }
    }

    @Override
    public void close() {
        try {
            if (connection.isPresent()) {
                connection.get().close();
            }
        } catch (IOException failure) {
            log.debug("closing the connection to a shim", failure);
        }
    }
}
