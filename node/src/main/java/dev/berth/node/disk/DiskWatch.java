package dev.berth.node.disk;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Tells when space becomes low, and when it no longer is, and nothing in between. It is low below
 * 256 MiB or a twentieth of the file system, whichever is less, and no longer low a quarter above
 * that: at the line itself it would be told again and again.
 */
public final class DiskWatch {
    private static final long MOST_BYTES = 256L * 1024 * 1024;
    private static final long FRACTION = 20;

    private final Source source;
    private final Consumer<Change> onChange;
    private boolean isLow;

    public DiskWatch(Source source, Consumer<Change> onChange) {
        this.source = source;
        this.onChange = onChange;
    }

    /** Looks now; returns whether it is low. */
    public synchronized boolean check() throws IOException {
        var space = source.read();
        var line = Math.min(MOST_BYTES, space.total() / FRACTION);
        var isLowNow = space.free() < (isLow ? line + line / 4 : line);
        if (isLowNow != isLow) {
            isLow = isLowNow;
            onChange.accept(new Change(isLow, space.free()));
        }
        return isLow;
    }

    /** Where the figures come from. */
    @FunctionalInterface
    public interface Source {
        DiskSpace read() throws IOException;
    }

    public record Change(boolean isLow, long freeBytes) {}
}
