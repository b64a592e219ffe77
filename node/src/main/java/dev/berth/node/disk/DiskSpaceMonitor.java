package dev.berth.node.disk;

import dev.berth.node.linux.InodeCount;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Reports when disk space becomes low and when it is no longer low. The threshold is 256 MiB and
 * 4,000 inodes, or 5 % of the file system where that is less. Space counts as sufficient again only
 * at 125 % of the threshold, so that a value near the threshold does not cause a stream of reports.
 */
public final class DiskSpaceMonitor {
    private static final Logger log = LoggerFactory.getLogger(DiskSpaceMonitor.class);

    private static final long MAX_BYTES = 256L * 1024 * 1024;
    private static final long MAX_INODES = 4000;
    private static final long FRACTION = 20;

    private final SpaceSource source;
    private final Consumer<SpaceChange> onChange;
    private boolean areBytesLow;
    private boolean areInodesLow;
    private boolean isFailing;

    public DiskSpaceMonitor(SpaceSource source, Consumer<SpaceChange> onChange) {
        this.source = source;
        this.onChange = onChange;
    }

    /**
     * The same as {@link #check}, for a timer: a line when the reads begin to fail and one when
     * they work again, because a line for each failed read would fill the log.
     */
    public void checkRepeatedly() {
        try {
            var _ = check();
            if (isFailing) {
                log.info("disk space can be read again");
            }
            isFailing = false;
        } catch (IOException | RuntimeException failure) {
            if (!isFailing) {
                log.warn("disk space cannot be read: {}", failure.toString());
            }
            isFailing = true;
        }
    }

    /** Reads the free space now. Returns true if it is low. For one thread only. */
    public boolean check() throws IOException {
        var space = source.read();
        var inodes = space.inodes();
        boolean bytes = isLow(space.freeBytes(), space.totalBytes(), MAX_BYTES, areBytesLow);
        boolean nodes = isLow(inodes.free(), inodes.total(), MAX_INODES, areInodesLow);
        boolean hasChanged = bytes != areBytesLow || nodes != areInodesLow;
        areBytesLow = bytes;
        areInodesLow = nodes;
        if (hasChanged) {
            onChange.accept(new SpaceChange(isLow(), areBytesLow, space.freeBytes(), inodes));
        }
        return isLow();
    }

    private boolean isLow() {
        return areBytesLow || areInodesLow;
    }

    /** A total of 0 means that the file system does not count this. */
    private static boolean isLow(long free, long total, long max, boolean wasLow) {
        var threshold = Math.min(max, total / FRACTION);
        return free < (wasLow ? threshold + threshold / 4 : threshold);
    }

    /** Source of the figures. */
    @FunctionalInterface
    public interface SpaceSource {
        DiskSpace read() throws IOException;
    }

    /**
     * @param areBytesLow false if only inodes are low: shorter logs do not help then
     */
    public record SpaceChange(
            boolean isLow, boolean areBytesLow, long freeBytes, InodeCount inodes) {}
}
