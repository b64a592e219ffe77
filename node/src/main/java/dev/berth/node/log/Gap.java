package dev.berth.node.log;

import java.util.Locale;

/** A stretch of a log that was given up, from one byte offset up to another. */
public record Gap(long from, long to) {

    public Gap {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("no gap from " + from + " to " + to);
        }
    }

    long bytes() {
        return to - from;
    }

    /** What a reader sees in its place. */
    String note() {
        return String.format(
                Locale.ROOT, "[... %,d bytes dropped to keep the log under its cap ...]", bytes());
    }
}
