package dev.berth.config.receiver;

import java.util.Locale;

/** A topic that a receiver can subscribe to. */
public enum Topic {
    /** All alerts. */
    ALERT,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_CANCELLED,
    TASK_RETRIED,
    LONG_WAIT,
    STALLED;

    public String configName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Topic of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
