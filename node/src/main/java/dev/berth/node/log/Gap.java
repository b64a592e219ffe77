package dev.berth.node.log;

import java.util.Locale;

/** A range of a log whose content was removed, from one byte offset up to another (exclusive). */
public record Gap(long from, long to) {

    public Gap {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("no gap from " + from + " to " + to);
        }
    }

    long bytes() {
        return to - from;
    }

    /** The text that a reader sees in its place. */
    String placeholder() {
        return String.format(
                Locale.ROOT, "[... %,d bytes dropped to keep the log under its cap ...]", bytes());
    }
}
