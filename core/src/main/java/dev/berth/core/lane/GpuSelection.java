package dev.berth.core.lane;

/** How GPUs are selected for a task on a machine that other users share. */
public enum GpuSelection {
    /** Any free GPU of the pool. */
    DEFAULT,
    /** One of the GPUs for lanes, but none of those that are left for other users. */
    SINGLE,
    /** Several of them; of those left for other users only as many as its minimum needs. */
    MULTI;

    public boolean yieldsToOthers() {
        return this != DEFAULT;
    }
}
