package dev.berth.core.plan;

/** How processes of other users outside Berth affect the use of a GPU. */
public enum ForeignProcessPolicy {
    /** Nothing starts on a GPU on which another user computes. */
    YIELD,
    /** Only the free memory counts. */
    FIT
}
