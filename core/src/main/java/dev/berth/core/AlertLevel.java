package dev.berth.core;

import java.util.Arrays;
import java.util.List;

/** Severity of an alert, in ascending order. */
public enum AlertLevel {
    INFO,
    WARNING,
    CRITICAL;

    public boolean isAtLeast(AlertLevel other) {
        return compareTo(other) >= 0;
    }

    public static List<String> names() {
        return Arrays.stream(values()).map(AlertLevel::name).toList();
    }
}
