package dev.berth.core.plan;

/** What the work of others, outside Berth, means for a card. */
public enum Foreign {
    /** Nothing starts on a card on which another user computes. */
    YIELD,
    /** Only whether the memory suffices is asked. */
    FIT
}
