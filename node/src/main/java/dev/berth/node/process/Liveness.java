package dev.berth.node.process;

public enum Liveness {
    ALIVE,
    /**
     * Certain: no such process exists, or it is a zombie, or its pid belongs to another process by
     * now.
     */
    GONE,
    /** {@code /proc} cannot be read, so the state is not known. */
    UNREADABLE
}
