package dev.berth.core.task;

/** The entrance a task came in by. */
public enum Source {
    API,
    /** A command file. */
    FILE
}
