package dev.berth.core.task;

/** Why Berth ends an attempt. */
public enum StopCause {
    /** A person asked. */
    CANCELLED,
    /** Its command is over, and processes it left behind are ended. */
    LEFTOVERS,
    /** A card that it holds is in error. */
    CARD_FAILED,
    /** Its own script has said that it is over, and it is still there. */
    SAID_OVER,
    /** It has run for as long as it may. */
    TIMED_OUT
}
