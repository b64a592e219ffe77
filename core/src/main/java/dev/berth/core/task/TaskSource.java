package dev.berth.core.task;

/** Where a task was submitted. */
public enum TaskSource {
    API,
    /** By a command file. */
    FILE,
    /** Berth's own: a worker that keeps a model loaded. */
    WORKER
}
