package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;

/** Makes this process the parent of every orphan below it, instead of init. */
public final class ChildSubreaper {
    private static final int PR_SET_CHILD_SUBREAPER = 36;

    private static final Libc.Function PRCTL = Libc.function("prctl");

    private static final int PR_GET_CHILD_SUBREAPER = 37;

    private ChildSubreaper() {}

    public static boolean isThisProcess() {
        try (var arena = Arena.ofConfined()) {
            var answer = arena.allocate(JAVA_INT);
            int result =
                    PRCTL.callInt(
                            Libc.state(arena), PR_GET_CHILD_SUBREAPER, answer.address(), 0, 0, 0);
            return result == 0 && answer.get(JAVA_INT, 0) != 0;
        }
    }

    /** From now on this process has to reap the orphans that it gets. */
    public static void become() throws IOException {
        set(1);
    }

    /** From now on init gets them again. */
    public static void resign() throws IOException {
        set(0);
    }

    private static void set(int value) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            if (PRCTL.callInt(state, PR_SET_CHILD_SUBREAPER, value, 0, 0, 0) != 0) {
                throw Libc.failure(state, "prctl", "child subreaper");
            }
        }
    }
}
