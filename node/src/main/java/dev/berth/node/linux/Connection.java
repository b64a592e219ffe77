package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Connects this process and one that it starts, which has the other end as its input. When this
 * process ends, however that happens, the other one reads the end of its input.
 */
public final class Connection implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int BOTH_DIRECTIONS = 2;
    private static final int NONE = -1;

    private static final Libc.Function SOCKETPAIR = Libc.function("socketpair");
    private static final Libc.Function SEND = Libc.function("send");
    private static final Libc.Function RECEIVE = Libc.function("recv");
    private static final Libc.Function SHUTDOWN = Libc.function("shutdown");

    private final int own;
    private int other;
    private boolean isClosed;

    private Connection(int own, int other) {
        this.own = own;
        this.other = other;
    }

    public static Connection open() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var ends = arena.allocate(JAVA_INT, 2);
            if (SOCKETPAIR.callInt(state, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.address())
                    != 0) {
                throw Libc.failure(state, "socketpair", "");
            }
            return new Connection(ends.getAtIndex(JAVA_INT, 0), ends.getAtIndex(JAVA_INT, 1));
        }
    }

    /** The end that the new process gets. */
    int other() {
        return other;
    }

    /** Call when the process has been started, or could not be. */
    void closeOther() throws IOException {
        int descriptor = other;
        other = NONE;
        if (descriptor != NONE) {
            RegularFile.close(descriptor, "connection");
        }
    }

    /**
     * Sends all of it at once, without waiting.
     *
     * @throws IOException the other process has ended, or does not read
     */
    public synchronized void send(byte[] message) throws IOException {
        requireOpen();
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var bytes = arena.allocate(message.length);
            MemorySegment.copy(message, 0, bytes, JAVA_BYTE, 0, message.length);
            var flags = MSG_NOSIGNAL | MSG_DONTWAIT;
            if (SEND.call(state, own, bytes.address(), message.length, flags) != message.length) {
                throw Libc.failure(state, "send", "connection");
            }
        }
    }

    /**
     * The next byte that has arrived.
     *
     * @return empty if there is none, or the other process has ended
     */
    public synchronized Optional<Byte> receive() throws IOException {
        requireOpen();
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var bytes = arena.allocate(1);
            return RECEIVE.call(state, own, bytes.address(), 1, MSG_DONTWAIT) == 1
                    ? Optional.of(bytes.get(JAVA_BYTE, 0))
                    : Optional.empty();
        }
    }

    /** The other process reads the end of its input from now on. */
    public synchronized void hangUp() throws IOException {
        requireOpen();
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            if (SHUTDOWN.callInt(state, own, BOTH_DIRECTIONS) != 0) {
                throw Libc.failure(state, "shutdown", "connection");
            }
        }
    }

    /** Afterwards the kernel may have given its number to another file. */
    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException("the connection is closed");
        }
    }

    int descriptor() {
        return own;
    }

    @Override
    public synchronized void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            closeOther();
            RegularFile.close(own, "connection");
        }
    }
}
