package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The last bytes of a log as the task wrote them, for code that searches them.
 *
 * @param size of the whole log
 * @param completeUpTo offset after the last complete line; the text behind it may still grow
 */
public record LogEndText(String text, long size, long completeUpTo) {

    private static final LogEndText EMPTY = new LogEndText("", 0, 0);

    /** 0 if there is no log, or something else has its name. */
    public static long sizeOf(Path log) throws IOException {
        try (var file = RegularFile.open(log)) {
            return file.size();
        } catch (NoSuchFileException | RegularFile.NotRegularFileException none) {
            return 0;
        }
    }

    /**
     * @param from reads at most what was written since this offset; an offset beyond the end means
     *     that the task truncated its log
     * @param most maximum number of bytes
     */
    public static LogEndText read(Path log, long from, int most) throws IOException {
        try (var file = RegularFile.open(log)) {
            long size = file.size();
            long wanted = from > size ? 0 : from;
            long start = Math.max(wanted, size - most);
            long afterGap = GapList.of(file, log, size).before(size).map(Gap::to).orElse(0L);
            return read(file, Math.clamp(afterGap, start, size), size);
        } catch (NoSuchFileException | RegularFile.NotRegularFileException gone) {
            return EMPTY;
        }
    }

    private static LogEndText read(RegularFile file, long start, long size) throws IOException {
        var bytes = file.read(start, (int) (size - start));
        int length = bytes.length;
        int settled = length;
        while (settled > 0 && bytes[settled - 1] != '\n' && bytes[settled - 1] != '\r') {
            settled--;
        }
        return new LogEndText(
                new String(bytes, 0, length, StandardCharsets.UTF_8),
                start + length,
                start + settled);
    }
}
