package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.LogFiles.LogPart;
import dev.berth.port.read.LogFiles.Output;
import dev.berth.port.read.TaskLogs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads sections of a log for a client that moves in it, and all of it for one that copies it. */
public final class LogParts {
    private static final int MAX_BYTES = 256 * 1024;
    private static final LogPart NONE = new LogPart(0, List.of(), 0, false, 0);

    private LogParts() {}

    public static LogPart from(Path log, long offset) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            long start = Math.min(offset, size);
            var complete = LogSlice.read(log, TaskLogs.LogPart.WHOLE, start, false);
            if (complete.nextOffset() > start || start == size) {
                return new LogPart(start, complete.lines(), complete.nextOffset(), false, size);
            }
            var rest = LogSlice.read(log, TaskLogs.LogPart.WHOLE, start, true);
            return new LogPart(start, rest.lines(), start, !rest.lines().isEmpty(), size);
        } catch (NoSuchFileException notYet) {
            return NONE;
        }
    }

    public static LogPart before(Path log, long offset) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            long end = Math.min(offset, size);
            var gap = GapList.read(log, size).before(end);
            if (gap.isPresent() && gap.get().to() >= end) {
                var placeholder = List.of(gap.get().placeholder());
                return new LogPart(gap.get().from(), placeholder, gap.get().to(), false, size);
            }
            return before(file, gap.map(Gap::to).orElse(0L), end, size);
        } catch (NoSuchFileException notYet) {
            return NONE;
        }
    }

    private static LogPart before(RegularFile file, long first, long end, long size)
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
        return new LogPart(low + begin, lines, low + at, isPartial, size);
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

    public static void copy(Path log, Output out) throws IOException, InterruptedException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            var gaps = GapList.read(log, size);
            long at = 0;
            while (at < size) {
                var gap = gaps.atOrAfter(at);
                long end = Math.min(at + MAX_BYTES, gap.map(Gap::from).orElse(size));
                if (at < end) {
                    var bytes = file.read(at, (int) (end - at));
                    if (bytes.length == 0) {
                        return;
                    }
                    out.send(bytes);
                    at += bytes.length;
                } else {
                    var placeholder = "\n" + gap.orElseThrow().placeholder() + "\n";
                    out.send(placeholder.getBytes(StandardCharsets.UTF_8));
                    at = gap.get().to();
                }
            }
        } catch (NoSuchFileException notYet) {
            // An empty download.
        }
    }
}
