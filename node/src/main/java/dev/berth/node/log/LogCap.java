package dev.berth.node.log;

import dev.berth.node.linux.ErrnoException;
import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps one log under its cap by removing its middle. The log stays open, so that the cap holds
 * even if the task deletes or renames the file.
 */
final class LogCap implements AutoCloseable {
    /** Holes are aligned to this size, a multiple of every file system's block size. */
    private static final long STEP = 1024 * 1024;

    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);
    private static final Duration MAX_INTERVAL = Duration.ofMillis(250);

    private final Path log;
    private final RegularFile file;
    private GapList gaps;
    private boolean isSupported = true;
    private long lastSize;
    private long lastNanos;

    private LogCap(Path log, RegularFile file, GapList gaps, long size) {
        this.log = log;
        this.file = file;
        this.gaps = gaps;
        lastSize = size;
    }

    static LogCap open(Path log) throws IOException {
        var file = RegularFile.openForWriting(log);
        try {
            var size = file.extent().size();
            return new LogCap(log, file, GapList.read(log, size), size);
        } catch (IOException unreadable) {
            file.close();
            throw unreadable;
        }
    }

    /**
     * Cuts the log if needed. Returns the time until the next check: short enough that the log, at
     * its present growth rate, cannot exceed the cap by much.
     *
     * @param nanos a monotonic clock
     * @throws UnsupportedOperationException once, if the file system cannot make holes
     */
    Duration check(LogLimits limits, long nanos) throws IOException {
        var extent = file.extent();
        if (extent.size() < lastSize && !gaps.list().isEmpty()) {
            // The task truncated its log, so the former gaps contain text now.
            gaps = GapList.NONE;
            gaps.write(log);
        }
        if (extent.allocated() > limits.capBytes() && isSupported) {
            cut(limits, extent.size());
            extent = file.extent();
        }
        var next = untilFull(limits, extent, nanos);
        lastSize = extent.size();
        lastNanos = nanos;
        return next;
    }

    private Duration untilFull(LogLimits limits, RegularFile.Extent extent, long nanos) {
        var grown = extent.size() - lastSize;
        var remaining = Math.max(0, limits.capBytes() - extent.allocated());
        if (grown <= 0 || nanos <= lastNanos) {
            return MAX_INTERVAL;
        }
        var nanosLeft = (double) remaining / grown * (nanos - lastNanos);
        var half =
                Duration.ofNanos((long) Math.min(nanosLeft / 2, (double) MAX_INTERVAL.toNanos()));
        return half.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : half;
    }

    private void cut(LogLimits limits, long size) throws IOException {
        var from = Math.ceilDiv(limits.headBytes(), STEP) * STEP;
        var to = (size - limits.tailBytes()) / STEP * STEP;
        var kept = gaps.list();
        var first =
                Stream.concat(kept.stream().map(Gap::from), Stream.of(from))
                        .min(Long::compare)
                        .orElse(from);
        var last =
                Stream.concat(kept.stream().map(Gap::to), Stream.of(to))
                        .max(Long::compare)
                        .orElse(to);
        if (last <= first) {
            return;
        }
        gaps = new GapList(List.of(new Gap(first, last)));
        recordThenPunch(kept, first, last);
    }

    /**
     * Writes the list first, then makes the hole. If the server is killed in between, a reader
     * misses a little text that still exists, but never shows zeros as text. On a full disk the
     * list can only be written after the hole has freed space.
     */
    private void recordThenPunch(List<Gap> known, long from, long to) throws IOException {
        try {
            gaps.write(log);
        } catch (IOException full) {
            punch(known, from, to);
            gaps.write(log);
            return;
        }
        punch(known, from, to);
    }

    /**
     * Only the parts that are not holes yet: the kernel needs time for every block of the range.
     */
    private void punch(List<Gap> known, long from, long to) throws IOException {
        try {
            var at = from;
            for (var gap : known) {
                punchUpTo(at, gap.from());
                at = Math.max(at, gap.to());
            }
            punchUpTo(at, to);
        } catch (ErrnoException refused) {
            if (refused.errno() == ErrnoException.EOPNOTSUPP) {
                isSupported = false;
                GapList.NONE.write(log);
                throw new UnsupportedOperationException(
                        "the file system of " + log + " cannot make holes: logs are not capped",
                        refused);
            }
            throw refused;
        }
    }

    private void punchUpTo(long from, long to) throws IOException {
        if (from < to) {
            file.punchHole(from, to - from);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
