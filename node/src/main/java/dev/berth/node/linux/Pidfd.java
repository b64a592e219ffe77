package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/**
 * One process, held by the kernel: while this is open a signal can reach that process or nothing,
 * even when its pid has gone to another.
 */
public final class Pidfd implements AutoCloseable {

    /**
     * System calls newer than 2018 have one number on every machine; C libraries learnt them late.
     */
    private static final long SYS_PIDFD_SEND_SIGNAL = 424;

    private static final long SYS_PIDFD_OPEN = 434;

    private static final Libc.Function SYSCALL = Libc.function("syscall");
    private static final Libc.Function KILL = Libc.function("kill");

    private final long pid;
    private final int descriptor;

    private Pidfd(long pid, int descriptor) {
        this.pid = pid;
        this.descriptor = descriptor;
    }

    /** Whether this kernel has pidfds, and lets a parent wait on one (5.4 and later do). */
    public static boolean supported() {
        try (var own = open(ProcessHandle.current().pid()).orElseThrow()) {
            return own.look().isEmpty();
        } catch (IOException refused) {
            return false;
        }
    }

    /** Whatever process has this pid now, a zombie too; empty where there is none. */
    public static Optional<Pidfd> open(long pid) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var answer = SYSCALL.call(state, SYS_PIDFD_OPEN, pid, 0);
            if (answer >= 0) {
                return Optional.of(new Pidfd(pid, (int) answer));
            }
            if (Libc.errno(state) == ErrnoException.ESRCH) {
                return Optional.empty();
            }
            throw Libc.failure(state, "pidfd_open", pid);
        }
    }

    /** False where the process has ended meanwhile. */
    public boolean send(Signal signal) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var answer =
                    SYSCALL.call(state, SYS_PIDFD_SEND_SIGNAL, descriptor, signal.number(), 0, 0);
            if (answer >= 0) {
                return true;
            }
            if (Libc.errno(state) == ErrnoException.ESRCH) {
                return false;
            }
            throw Libc.failure(state, "pidfd_send_signal " + signal, pid);
        }
    }

    /**
     * For kernels without pidfds: by number, so the caller has just made sure whose number it is.
     */
    public static boolean sendByNumber(long pid, Signal signal) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            if (pid <= 1) {
                throw new IllegalArgumentException("no single process has the pid " + pid);
            }
            if (KILL.ask(state, pid, signal.number()) == 0) {
                return true;
            }
            if (Libc.errno(state) == ErrnoException.ESRCH) {
                return false;
            }
            throw Libc.failure(state, "kill " + signal, pid);
        }
    }

    /** See {@link Child#look}; empty where it is no child of ours. */
    public Optional<Child.Status> look() throws IOException {
        return Child.lookHeld(descriptor);
    }

    /** See {@link Child#reap}. */
    public Optional<Child.Status> reap() throws IOException {
        return Child.reapHeld(descriptor);
    }

    int descriptor() {
        return descriptor;
    }

    @Override
    public void close() throws IOException {
        NativeFile.close(descriptor, "pidfd of " + pid);
    }

    @Override
    public String toString() {
        return "pidfd of " + pid;
    }
}
