package dev.berth.core.task;

/** How urgent a task is, most urgent first; {@link #ordinal} is its weight in the score. */
public enum Priority {
    CRITICAL,
    HIGH,
    NORMAL,
    LOW
}
