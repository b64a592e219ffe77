package dev.berth.node.shim;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Connection;
import dev.berth.node.process.ExitWatcher;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shim that this process started ahead. It runs one attempt after another. It is watched from its
 * start on, so an attempt misses nothing that happens before its thread gets to run.
 */
public final class ConnectedShim implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ConnectedShim.class);

    /** What an attempt learns about its shim. The calls must not block. */
    public interface Listener {

        /** The command has ended and has left no process: the shim says so. */
        void commandEnded(int code);

        void shimEnded(ExitWatcher.ProcessEnd end);
    }

    private final ProcessKey process;
    private final Connection connection;
    private final List<ExitWatcher.Watch> watches = new ArrayList<>();
    private Optional<Listener> listener = Optional.empty();
    private ExitWatcher.@Nullable ProcessEnd end;

    private ConnectedShim(ProcessKey process, Connection connection) {
        this.process = process;
        this.connection = connection;
    }

    static ConnectedShim watch(ExitWatcher watcher, ProcessKey process, Connection connection)
            throws IOException {
        var shim = new ConnectedShim(process, connection);
        try {
            shim.watches.add(
                    watcher.listen(
                            connection, code -> shim.commandEnded(Byte.toUnsignedInt(code))));
            shim.watches.add(watcher.watch(process, shim::shimEnded));
            return shim;
        } catch (IOException refused) {
            shim.close();
            throw refused;
        }
    }

    public ProcessKey process() {
        return process;
    }

    private synchronized void commandEnded(int code) {
        listener.ifPresent(one -> one.commandEnded(code));
    }

    private void shimEnded(ExitWatcher.ProcessEnd how) {
        boolean hasAttempt;
        synchronized (this) {
            end = how;
            hasAttempt = listener.isPresent();
            listener.ifPresent(one -> one.shimEnded(how));
        }
        if (!hasAttempt) {
            close();
        }
    }

    /** Empty while it lives. */
    synchronized Optional<ExitWatcher.ProcessEnd> end() {
        return Optional.ofNullable(end);
    }

    /**
     * Gives it an attempt, whose directory is complete.
     *
     * @throws IOException it has ended; the listener is not called then
     */
    synchronized void begin(AttemptDirectory directory, Listener attempt) throws IOException {
        if (end != null) {
            throw new IOException("shim " + process.pid() + " has ended");
        }
        connection.send((directory.runScript() + "\0").getBytes(StandardCharsets.UTF_8));
        listener = Optional.of(attempt);
    }

    /** Its attempt is over. From now on it is reaped as soon as it ends. */
    public void forgetAttempt() {
        synchronized (this) {
            listener = Optional.empty();
        }
        if (end().isPresent()) {
            close();
        }
    }

    void send(byte[] message) throws IOException {
        connection.send(message);
    }

    /** Nobody will answer the shim: it syncs its exit record at once. */
    public void hangUp() {
        try {
            connection.hangUp();
        } catch (IOException ended) {
            log.debug("shim {} has ended before it was hung up", process.pid(), ended);
        }
    }

    /** Ends the connection and reaps the process if it has ended. No call follows after this. */
    @Override
    public void close() {
        synchronized (this) {
            listener = Optional.empty();
        }
        try {
            for (var watch : watches) {
                watch.close();
            }
            connection.close();
        } catch (IOException failure) {
            log.debug("closing the connection to shim {}", process.pid(), failure);
        }
    }
}
