package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.LogFiles.LogBounds;
import dev.berth.port.read.LogFiles.LogPage;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads lines forward or backward from an offset, for a client that moves in a log. */
public final class LogPages {
    private static final int MAX_BYTES = 256 * 1024;
    private static final LogPage NONE = new LogPage(new LogBounds(0, 0, 0), 0, List.of(), 0, false);

    private LogPages() {}

    public static LogPage from(Path log, LogPart part, long offset) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            var range = OutputRange.of(file, size, part);
            var bounds = range.bounds(size);
            long start = Math.min(Math.max(offset, range.from()), size);
            var complete = LogSlice.read(log, part, start, false);
            if (complete.nextOffset() > start || start >= range.to()) {
                return new LogPage(bounds, start, complete.lines(), complete.nextOffset(), false);
            }
            var rest = LogSlice.read(log, part, start, true);
            return new LogPage(bounds, start, rest.lines(), start, !rest.lines().isEmpty());
        } catch (NoSuchFileException notYet) {
            return NONE;
        }
    }

    public static LogPage before(Path log, LogPart part, long offset) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            var range = OutputRange.of(file, size, part);
            var bounds = range.bounds(size);
            long end = Math.clamp(offset, range.from(), range.to());
            var gap = GapList.of(file, log, size).before(end);
            if (gap.isPresent() && gap.get().to() >= end && end > range.from()) {
                long start = Math.max(range.from(), gap.get().from());
                var placeholder = List.of(gap.get().placeholder());
                return new LogPage(bounds, start, placeholder, gap.get().to(), false);
            }
            long first = Math.max(range.from(), gap.map(Gap::to).orElse(0L));
            return before(file, bounds, Math.min(first, end), end);
        } catch (NoSuchFileException notYet) {
            return NONE;
        }
    }

    /** Reads a range without gaps backward. */
    private static LogPage before(RegularFile file, LogBounds bounds, long first, long end)
            throws IOException {
        long low = Math.max(first, end - MAX_BYTES);
        var bytes = file.read(low, (int) (end - low));
        int begin = low > first ? firstLine(bytes) : 0;
        var lines = new ArrayList<String>();
        int at = begin;
        for (int i = begin; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                lines.add(LineText.render(bytes, at, i, true));
                at = i + 1;
            }
        }
        boolean isPartial = at < bytes.length;
        if (isPartial) {
            lines.add(LineText.render(bytes, at, bytes.length, true));
        }
        return new LogPage(bounds, low + begin, lines, low + at, isPartial);
    }

    /** The index of the first line that begins in these bytes; 0 if a single line fills them. */
    private static int firstLine(byte[] bytes) {
        for (int i = 0; i < bytes.length - 1; i++) {
            if (bytes[i] == '\n') {
                return i + 1;
            }
        }
        return 0;
    }
}
