package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * Waits for the ends and the messages of many processes at once. Any thread may add, remove and
 * wake. One thread waits, and it must be a platform thread, because the wait would pin the carrier
 * of a virtual thread.
 */
public final class Epoll implements AutoCloseable {
    private static final int CLOEXEC = 0x80000;
    private static final int ADD = 1;
    private static final int DELETE = 2;
    private static final int EPOLLIN = 1;
    private static final int FOREVER = -1;
    private static final int BATCH = 64;

    /** The kernel packs {@code struct epoll_event} on x86-64 and nowhere else. */
    private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");

    private static final long TOKEN_AT = PACKED ? 4 : 8;
    private static final long EVENT_BYTES = TOKEN_AT + Long.BYTES;

    private static final Libc.Function CREATE = Libc.function("epoll_create1");
    private static final Libc.Function CONTROL = Libc.function("epoll_ctl");
    private static final Libc.Function WAIT = Libc.function("epoll_wait");
    private static final Libc.Function EVENTFD = Libc.function("eventfd");
    private static final Libc.Function WRITE = Libc.function("write");

    /** The token that {@link #await} passes after a {@link #wake}. */
    public static final long WOKEN = -1;

    private final int epoll;
    private final int wakeup;

    private Epoll(int epoll, int wakeup) {
        this.epoll = epoll;
        this.wakeup = wakeup;
    }

    public static Epoll open() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var epoll = CREATE.callInt(state, CLOEXEC);
            if (epoll < 0) {
                throw Libc.failure(state, "epoll_create1", "");
            }
            var wakeup = EVENTFD.callInt(state, 0, CLOEXEC);
            if (wakeup < 0) {
                throw Libc.failure(state, "eventfd", "");
            }
            var opened = new Epoll(epoll, wakeup);
            opened.control(ADD, wakeup, WOKEN);
            return opened;
        }
    }

    /**
     * From now on {@code await} passes {@code token} when the process has ended, until it is
     * removed.
     */
    public void add(Pidfd process, long token) throws IOException {
        control(ADD, process.descriptor(), token);
    }

    public void remove(Pidfd process) throws IOException {
        control(DELETE, process.descriptor(), 0);
    }

    /** The same when the other end has sent something, or has been closed. */
    public void add(Connection connection, long token) throws IOException {
        control(ADD, connection.descriptor(), token);
    }

    public void remove(Connection connection) throws IOException {
        control(DELETE, connection.descriptor(), 0);
    }

    private void control(int operation, int descriptor, long token) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var event = arena.allocate(EVENT_BYTES, Long.BYTES);
            event.set(JAVA_INT, 0, EPOLLIN);
            event.set(JAVA_LONG_UNALIGNED, TOKEN_AT, token);
            if (CONTROL.callInt(state, epoll, operation, descriptor, event.address()) < 0) {
                throw Libc.failure(state, "epoll_ctl", descriptor);
            }
        }
    }

    /** Waits for at least one event and passes the token of each. */
    public void await(LongConsumer token) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var events = arena.allocate(EVENT_BYTES * BATCH, Long.BYTES);
            var count = wait(state, events);
            for (var i = 0; i < count; i++) {
                token.accept(events.get(JAVA_LONG_UNALIGNED, i * EVENT_BYTES + TOKEN_AT));
            }
        }
    }

    private int wait(MemorySegment state, MemorySegment events) throws IOException {
        while (true) {
            var count = WAIT.callInt(state, epoll, events.address(), BATCH, FOREVER);
            if (count >= 0) {
                return count;
            }
            if (Libc.errno(state) != ErrnoException.EINTR) {
                throw Libc.failure(state, "epoll_wait", epoll);
            }
        }
    }

    /** Makes the waiting thread return, now or at its next wait. */
    public void wake() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var one = arena.allocateFrom(JAVA_LONG, 1L);
            if (WRITE.call(state, wakeup, one.address(), Long.BYTES) < 0) {
                throw Libc.failure(state, "write", "eventfd");
            }
        }
    }

    @Override
    public void close() throws IOException {
        RegularFile.close(epoll, "epoll");
        RegularFile.close(wakeup, "eventfd");
    }
}
