package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/** Reads the exit status of child processes ({@code waitid}). */
public final class ChildProcess {
    private static final int P_PID = 1;
    private static final int P_PIDFD = 3;
    private static final int WNOHANG = 1;
    private static final int WEXITED = 4;
    private static final int WNOWAIT = 0x01000000;

    /** {@code siginfo_t} is 128 bytes; for a child it holds code at 8, pid at 16, status at 24. */
    private static final long SIGINFO_BYTES = 128;

    private static final long CODE_AT = 8;
    private static final long PID_AT = 16;
    private static final long STATUS_AT = 24;
    private static final int CLD_EXITED = 1;

    private static final Libc.Function WAITID = Libc.function("waitid");

    private ChildProcess() {}

    /**
     * Reads how a child of this process ended. The child stays a zombie, so the kernel reuses
     * neither its pid nor its session id. {@link Status.Running} if it has not ended, empty if it
     * is not our child.
     */
    public static Optional<Status> status(long pid) throws IOException {
        return waitid(P_PID, pid, WEXITED | WNOHANG | WNOWAIT);
    }

    /** Waits until a child of this process has ended, and reaps it. */
    public static Optional<Status> await(long pid) throws IOException {
        return waitid(P_PID, pid, WEXITED);
    }

    /** Reaps a child that has ended. From now on the kernel may reuse its pid. */
    public static Optional<Status> reap(long pid) throws IOException {
        return waitid(P_PID, pid, WEXITED | WNOHANG);
    }

    static Optional<Status> statusOfPidfd(int pidfd) throws IOException {
        return waitid(P_PIDFD, pidfd, WEXITED | WNOHANG | WNOWAIT);
    }

    static Optional<Status> reapPidfd(int pidfd) throws IOException {
        return waitid(P_PIDFD, pidfd, WEXITED | WNOHANG);
    }

    private static Optional<Status> waitid(int kind, long idType, int options) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var info = arena.allocate(SIGINFO_BYTES, Long.BYTES);
            if (WAITID.callInt(state, kind, idType, info.address(), options) < 0) {
                if (Libc.errno(state) == ErrnoException.ECHILD) {
                    return Optional.empty();
                }
                throw Libc.failure(state, "waitid", idType);
            }
            // With WNOHANG, "nothing yet" is success with a pid of 0.
            if (info.get(JAVA_INT, PID_AT) == 0) {
                return Optional.of(new Status.Running());
            }
            var status = info.get(JAVA_INT, STATUS_AT);
            return Optional.of(
                    info.get(JAVA_INT, CODE_AT) == CLD_EXITED
                            ? new Status.Exited(status)
                            : new Status.Signalled(status));
        }
    }

    public sealed interface Status {
        record Running() implements Status {}

        record Exited(int code) implements Status {}

        record Signalled(int signal) implements Status {}
    }
}
