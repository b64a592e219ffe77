package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/**
 * A handle on one process. While it is open, a signal reaches that process or none, even if the
 * kernel has reused its pid.
 */
public final class Pidfd implements AutoCloseable {

    /**
     * System calls added after 2018 have the same number on every architecture; C libraries got
     * wrappers for them late.
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

    /** True if this kernel has pidfds and lets a parent wait on one (5.4 and later). */
    public static boolean isSupported() {
        try (var own = open(ProcessHandle.current().pid()).orElseThrow()) {
            return own.status().isEmpty();
        } catch (IOException refused) {
            return false;
        }
    }

    /** Opens the process that has this pid now, also if it is a zombie; empty if there is none. */
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

    /** False if the process has ended meanwhile. */
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
     * For kernels without pidfds: signals by pid, so the caller must have just checked which
     * process has the pid.
     */
    public static boolean sendByPid(long pid, Signal signal) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            if (pid <= 1) {
                throw new IllegalArgumentException("no single process has the pid " + pid);
            }
            if (KILL.callInt(state, pid, signal.number()) == 0) {
                return true;
            }
            if (Libc.errno(state) == ErrnoException.ESRCH) {
                return false;
            }
            throw Libc.failure(state, "kill " + signal, pid);
        }
    }

    /** See {@link ChildProcess#status}; empty if it is not our child. */
    public Optional<ChildProcess.Status> status() throws IOException {
        return ChildProcess.statusOfPidfd(descriptor);
    }

    /** See {@link ChildProcess#reap}. */
    public Optional<ChildProcess.Status> reap() throws IOException {
        return ChildProcess.reapPidfd(descriptor);
    }

    int descriptor() {
        return descriptor;
    }

    @Override
    public void close() throws IOException {
        RegularFile.close(descriptor, "pidfd of " + pid);
    }

    @Override
    public String toString() {
        return "pidfd of " + pid;
    }
}
