package dev.berth.node.disk;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Reports when disk space becomes low and when it is no longer low. The threshold is 256 MiB or 5 %
 * of the file system, whichever is less. Space counts as sufficient again only at 125 % of the
 * threshold, so that a value near the threshold does not cause a stream of reports.
 */
public final class DiskSpaceMonitor {
    private static final long MAX_BYTES = 256L * 1024 * 1024;
    private static final long FRACTION = 20;

    private final SpaceSource source;
    private final Consumer<SpaceChange> onChange;
    private boolean isLow;

    public DiskSpaceMonitor(SpaceSource source, Consumer<SpaceChange> onChange) {
        this.source = source;
        this.onChange = onChange;
    }

    /** Reads the free space now. Returns true if it is low. For one thread only. */
    public boolean check() throws IOException {
        var space = source.read();
        var threshold = Math.min(MAX_BYTES, space.totalBytes() / FRACTION);
        var isLowNow = space.freeBytes() < (isLow ? threshold + threshold / 4 : threshold);
        if (isLowNow != isLow) {
            isLow = isLowNow;
            onChange.accept(new SpaceChange(isLow, space.freeBytes()));
        }
        return isLow;
    }

    /** Source of the figures. */
    @FunctionalInterface
    public interface SpaceSource {
        DiskSpace read() throws IOException;
    }

    public record SpaceChange(boolean isLow, long freeBytes) {}
}
