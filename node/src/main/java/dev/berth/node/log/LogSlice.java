package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads a log forward from a byte offset, for a client that follows it. */
public final class LogSlice {
    private static final int MAX_BYTES = 256 * 1024;

    private LogSlice() {}

    /**
     * Returns a bounded piece. To read everything, repeat until {@code nextOffset} no longer
     * changes.
     *
     * @param partial also return a last line that has no newline yet
     */
    public static LogText read(Path log, LogPart part, long offset, boolean partial)
            throws IOException {
        try (var file = RegularFile.open(log)) {
            var size = file.size();
            var range = OutputRange.of(file, size, part);
            var start = Math.min(Math.max(offset, range.from()), size);
            var lines = new ArrayList<String>();
            if (start > range.to()) {
                return new LogText(lines, true, start);
            }
            var gap = GapList.of(file, log, size).atOrAfter(start);
            if (gap.isPresent() && gap.get().from() <= start) {
                lines.add(gap.get().placeholder());
                return new LogText(lines, start > range.from(), true, gap.get().to());
            }
            var end = Math.min(start + MAX_BYTES, gap.map(Gap::from).orElse(range.to()));
            var bytes = bytes(file, start, end);
            var rest = wholeLines(bytes, lines);
            var isCutByGap = gap.isPresent() && end == gap.get().from();
            // A line longer than one read is returned in pieces; otherwise the reader would never
            // get past it.
            var isTooLong = end < range.to() && rest == 0;
            if (rest < bytes.length
                    && (isCutByGap || isTooLong || (partial && end == range.to()))) {
                lines.add(LineText.render(bytes, rest, bytes.length, true));
                rest = bytes.length;
            }
            return new LogText(lines, start > range.from(), start + rest);
        } catch (NoSuchFileException notYet) {
            return new LogText(List.of(), false, 0);
        }
    }

    /** Returns the offset after the last newline. */
    private static int wholeLines(byte[] bytes, List<String> lines) {
        var begin = 0;
        for (var i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                lines.add(LineText.render(bytes, begin, i, true));
                begin = i + 1;
            }
        }
        return begin;
    }

    /** If the file was truncated meanwhile, the missing part is zeros. */
    private static byte[] bytes(RegularFile file, long from, long to) throws IOException {
        int length = (int) (to - from);
        return Arrays.copyOf(file.read(from, length), length);
    }
}
