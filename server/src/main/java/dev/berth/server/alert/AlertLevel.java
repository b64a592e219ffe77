package dev.berth.server.alert;

import java.util.Arrays;
import java.util.List;

/** How bad it is; the worst last. */
public enum AlertLevel {
    INFO,
    WARNING,
    CRITICAL;

    public boolean isAtLeast(AlertLevel other) {
        return compareTo(other) >= 0;
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(AlertLevel::name).toList();
    }
}
