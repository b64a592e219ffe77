package dev.berth.node.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The last bytes of a log as the task wrote them, for code that searches them.
 *
 * @param size of the whole log
 * @param completeUpTo offset after the last complete line; the text behind it may still grow
 */
public record LogEndText(String text, long size, long completeUpTo) {

    private static final LogEndText EMPTY = new LogEndText("", 0, 0);

    /**
     * @param from reads at most what was written since this offset; an offset beyond the end means
     *     that the task truncated its log
     * @param most maximum number of bytes
     */
    public static LogEndText read(Path log, long from, int most) throws IOException {
        // A task may have replaced its log, and reading from a pipe would block forever.
        if (!Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
            return EMPTY;
        }
        try (var channel = FileChannel.open(log, StandardOpenOption.READ)) {
            long size = channel.size();
            long wanted = from > size ? 0 : from;
            long start = Math.max(wanted, size - most);
            long afterGap = GapList.read(log, size).before(size).map(Gap::to).orElse(0L);
            return read(channel, Math.clamp(afterGap, start, size), size);
        } catch (NoSuchFileException gone) {
            return EMPTY;
        }
    }

    private static LogEndText read(FileChannel channel, long start, long size) throws IOException {
        var buffer = ByteBuffer.allocate((int) (size - start));
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, start + buffer.position()) < 0) {
                break;
            }
        }
        int length = buffer.position();
        var bytes = buffer.array();
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
