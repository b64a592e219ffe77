package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/** What the kernel tells a parent about its children. */
public final class Child {
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

    private Child() {}

    /**
     * How a child of this process ended; it stays a zombie, so its pid and the number of its
     * session stay taken. {@link Status.Running} while it has not, empty where this is no child of
     * ours.
     */
    public static Optional<Status> look(long pid) throws IOException {
        return ask(P_PID, pid, WEXITED | WNOHANG | WNOWAIT);
    }

    /** Lets go of a child that has ended; its pid may be given to another process from now on. */
    public static Optional<Status> reap(long pid) throws IOException {
        return ask(P_PID, pid, WEXITED | WNOHANG);
    }

    static Optional<Status> lookHeld(int pidfd) throws IOException {
        return ask(P_PIDFD, pidfd, WEXITED | WNOHANG | WNOWAIT);
    }

    static Optional<Status> reapHeld(int pidfd) throws IOException {
        return ask(P_PIDFD, pidfd, WEXITED | WNOHANG);
    }

    private static Optional<Status> ask(int kind, long which, int options) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var info = arena.allocate(SIGINFO_BYTES, Long.BYTES);
            if (WAITID.ask(state, kind, which, info.address(), options) < 0) {
                if (Libc.errno(state) == ErrnoException.ECHILD) {
                    return Optional.empty();
                }
                throw Libc.failure(state, "waitid", which);
            }
            // With WNOHANG "nothing yet" is success with a pid of 0.
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

    /** Where a child stands. */
    public sealed interface Status {
        record Running() implements Status {}

        record Exited(int code) implements Status {}

        record Signalled(int signal) implements Status {}
    }
}
