package dev.berth.core.task;

/** Most urgent first; {@link #ordinal} is used in the order of the queue. */
public enum Priority {
    CRITICAL,
    HIGH,
    NORMAL,
    LOW
}
