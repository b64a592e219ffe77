package dev.berth.findings.log;

import java.util.Locale;

/** The level that a logger printed before a line. */
public enum LogLevel {
    /** No logger marked the line. */
    NONE,
    INFO,
    WARNING,
    ERROR;

    /** Words like {@code WARN} and {@code critical}, or the letters of glog. */
    static LogLevel of(String word) {
        return switch (word.toUpperCase(Locale.ROOT)) {
            case "E",
                    "F",
                    "C",
                    "ERR",
                    "ERROR",
                    "SEVERE",
                    "CRITICAL",
                    "CRIT",
                    "FATAL",
                    "PANIC",
                    "EXCEPTION" ->
                    ERROR;
            case "W", "WARN", "WARNING" -> WARNING;
            case "I", "D", "V", "INFO", "NOTICE", "DEBUG", "TRACE", "VERBOSE", "SUCCESS" -> INFO;
            default -> NONE;
        };
    }

    /** The line states no failure. */
    public boolean isLow() {
        return this == INFO || this == WARNING;
    }
}
