package dev.berth.core.task;

/** Why Berth stops an attempt. */
public enum StopCause {
    /** A person requested it. */
    CANCELLED,
    /** The command has ended; its leftover processes are being stopped. */
    LEFTOVERS,
    /** A GPU that it holds has a fault. */
    CARD_FAILED,
    /** The script reported its end, but processes are still alive. */
    SAID_OVER,
    /** The time limit has passed. */
    TIMED_OUT,
    /** A worker whose GPU memory is needed, that is not needed any more, or that failed. */
    UNLOADED
}
