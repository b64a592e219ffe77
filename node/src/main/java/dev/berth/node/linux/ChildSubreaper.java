package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes this process the parent of every orphan below it, instead of init. */
public final class ChildSubreaper {
    private static final int PR_SET_CHILD_SUBREAPER = 36;

    private static final Libc.Function PRCTL = Libc.function("prctl");

    private static final AtomicInteger USERS = new AtomicInteger();
    private static final AtomicBoolean HAS_BEEN = new AtomicBoolean();

    private ChildSubreaper() {}

    /** True if orphans may have become children of this process, also if it has resigned since. */
    public static boolean hasBeenThisProcess() {
        return HAS_BEEN.get();
    }

    /** From now on this process has to reap the orphans that it gets. */
    public static void become() throws IOException {
        HAS_BEEN.set(true);
        USERS.incrementAndGet();
        set(1);
    }

    /** From now on init gets them again, unless another node of this process needs them. */
    public static void resign() throws IOException {
        if (USERS.decrementAndGet() == 0) {
            set(0);
        }
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
