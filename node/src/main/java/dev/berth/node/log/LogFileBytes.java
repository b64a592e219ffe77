package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.TaskLogs.LogBytes;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogStart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a log as bytes, piece by piece, however long it is. */
public final class LogFileBytes {

    private static final int CHUNK = 256 * 1024;

    private LogFileBytes() {}

    /** At most {@code limit} bytes, or the placeholder of a gap; empty at the end. */
    public static LogBytes read(Path log, LogPart part, long offset, int limit) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            var range = OutputRange.of(file, size, part);
            long start = Math.min(Math.max(offset, range.from()), size);
            if (start >= range.to()) {
                return new LogBytes(new byte[0], start, range.to());
            }
            var gap = GapList.of(file, log, size).atOrAfter(start);
            if (gap.isPresent() && gap.get().from() <= start) {
                return placeholder(file, gap.get(), range.to());
            }
            long limited = Math.min(start + limit, range.to());
            long end = Math.min(limited, gap.map(Gap::from).orElse(limited));
            var bytes = file.read(start, (int) (end - start));
            return new LogBytes(bytes, start + bytes.length, range.to());
        } catch (NoSuchFileException notYet) {
            return new LogBytes(new byte[0], 0, 0);
        }
    }

    private static LogBytes placeholder(RegularFile file, Gap gap, long end) throws IOException {
        var before = gap.from() == 0 ? new byte[0] : file.read(gap.from() - 1, 1);
        var text = gap.placeholder() + "\n";
        boolean cutsLine = before.length == 1 && before[0] != '\n';
        return new LogBytes(
                (cutsLine ? "\n" + text : text).getBytes(StandardCharsets.UTF_8), gap.to(), end);
    }

    /** Where the last lines begin. A gap counts as a line. */
    public static LogStart startOfLast(Path log, LogPart part, long lines) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            var range = OutputRange.of(file, size, part);
            long start = new LineCounter(file, GapList.of(file, log, size), lines).find(range);
            return new LogStart(start, start > range.from());
        } catch (NoSuchFileException notYet) {
            return new LogStart(0, false);
        }
    }

    /** Counts newlines backwards. */
    private static final class LineCounter {
        private final RegularFile file;
        private final GapList gaps;
        private long remaining;

        LineCounter(RegularFile file, GapList gaps, long lines) {
            this.file = file;
            this.gaps = gaps;
            this.remaining = lines;
        }

        long find(OutputRange range) throws IOException {
            // A newline at the very end begins no further line.
            long end = Math.max(range.from(), range.to() - 1);
            while (end > range.from()) {
                var gap = gaps.before(end);
                if (gap.isPresent() && gap.get().to() >= end) {
                    remaining--;
                    if (remaining <= 0) {
                        return gap.get().from();
                    }
                    end = gap.get().from();
                    continue;
                }
                long floor = Math.max(range.from(), gap.map(Gap::to).orElse(0L));
                long start = Math.max(floor, end - CHUNK);
                var bytes = file.read(start, (int) (end - start));
                for (int at = bytes.length - 1; at >= 0; at--) {
                    if (bytes[at] == '\n' && --remaining == 0) {
                        return start + at + 1;
                    }
                }
                end = start;
            }
            return range.from();
        }
    }
}
