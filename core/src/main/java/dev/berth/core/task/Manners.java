package dev.berth.core.task;

/** How a task takes cards on a machine that others use, too. */
public enum Manners {
    /** Whatever is free and Berth's to give. */
    USUAL,
    /** One card of those that lanes may use, never one that is kept back. */
    SINGLE,
    /** Several, and of those kept back only what it cannot do without. */
    MULTI;

    public boolean arePolite() {
        return this != USUAL;
    }
}
