package dev.berth.node.log;

import dev.berth.node.linux.ErrnoException;
import dev.berth.node.linux.NativeFile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps one log under its cap by giving up its middle. The log is held open, so that it is kept
 * small even when its name has been taken away.
 */
final class LogCap implements AutoCloseable {
    /** Holes are made in whole steps of this, which every file system's block size divides. */
    private static final long STEP = 1024 * 1024;

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofMillis(250);

    private final Path log;
    private final NativeFile file;
    private Gaps gaps;
    private boolean isSupported = true;
    private long lastSize;
    private long lastNanos;

    private LogCap(Path log, NativeFile file, Gaps gaps, long size) {
        this.log = log;
        this.file = file;
        this.gaps = gaps;
        lastSize = size;
    }

    static LogCap open(Path log) throws IOException {
        var file = NativeFile.open(log);
        var size = file.extent().size();
        return new LogCap(log, file, Gaps.read(log, size), size);
    }

    /**
     * Cuts the log where it must, and says when to look again: before it can have grown far beyond
     * its cap at the rate it grows now.
     *
     * @param nanos a clock that only goes forward
     * @throws UnsupportedOperationException once, where the file system cannot make holes
     */
    Duration check(LogLimits limits, long nanos) throws IOException {
        var extent = file.extent();
        if (extent.size() < lastSize && !gaps.list().isEmpty()) {
            // The task has begun its log anew: what was a gap is text now.
            gaps = Gaps.NONE;
            gaps.write(log);
        }
        if (extent.allocated() > limits.cap() && isSupported) {
            cut(limits, extent.size());
            extent = file.extent();
        }
        var next = untilFull(limits, extent, nanos);
        lastSize = extent.size();
        lastNanos = nanos;
        return next;
    }

    private Duration untilFull(LogLimits limits, NativeFile.Extent extent, long nanos) {
        var grown = extent.size() - lastSize;
        var room = Math.max(0, limits.cap() - extent.allocated());
        if (grown <= 0 || nanos <= lastNanos) {
            return LONGEST;
        }
        var nanosLeft = (double) room / grown * (nanos - lastNanos);
        var half = Duration.ofNanos((long) Math.min(nanosLeft / 2, (double) LONGEST.toNanos()));
        return half.compareTo(SHORTEST) < 0 ? SHORTEST : half;
    }

    private void cut(LogLimits limits, long size) throws IOException {
        var from = Math.ceilDiv(limits.head(), STEP) * STEP;
        var to = (size - limits.tail()) / STEP * STEP;
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
        gaps = new Gaps(List.of(new Gap(first, last)));
        tellThenPunch(kept, first, last);
    }

    /**
     * First the list, then the hole: killed between the two, a reader misses a little that is still
     * there, and takes no zeros for text. On a full disk the list cannot be written before the hole
     * has made room.
     */
    private void tellThenPunch(List<Gap> known, long from, long to) throws IOException {
        try {
            gaps.write(log);
        } catch (IOException full) {
            punch(known, from, to);
            gaps.write(log);
            return;
        }
        punch(known, from, to);
    }

    /** Only what is no hole yet: the kernel walks through what it is given. */
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
                Gaps.NONE.write(log);
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
