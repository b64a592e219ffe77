package dev.berth.core.lane;

/** Whether the lanes of file runs may use a GPU. */
public enum LaneAccess {
    ALLOWED,
    /** Left for other users, unless a task needs it for its minimum number of GPUs. */
    LEFT_FOR_OTHERS,
    DENIED
}
