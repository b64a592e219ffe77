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
 * The last bytes of a log as the task wrote them, for a reader who looks for signs in them.
 *
 * @param size of the whole log
 * @param settled what follows here may still grow: a line that is not ended
 */
public record LogEnd(String text, long size, long settled) {

    private static final LogEnd NOTHING = new LogEnd("", 0, 0);

    /**
     * @param from at most what was written since this offset; one beyond the end means that the
     *     task began its log anew
     * @param most bytes
     */
    public static LogEnd read(Path log, long from, int most) throws IOException {
        // A task may have put something else in its log's place, and a pipe would keep us for ever.
        if (!Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
            return NOTHING;
        }
        try (var channel = FileChannel.open(log, StandardOpenOption.READ)) {
            long size = channel.size();
            long wanted = from > size ? 0 : from;
            long start = Math.max(wanted, size - most);
            long afterGap = Gaps.read(log, size).before(size).map(Gap::to).orElse(0L);
            return read(channel, Math.clamp(afterGap, start, size), size);
        } catch (NoSuchFileException gone) {
            return NOTHING;
        }
    }

    private static LogEnd read(FileChannel channel, long start, long size) throws IOException {
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
        return new LogEnd(
                new String(bytes, 0, length, StandardCharsets.UTF_8),
                start + length,
                start + settled);
    }
}
