package dev.berth.runs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The last lines of a file, read from its end.
 *
 * @param isTruncated there are lines before these
 */
public record LogFileTail(List<String> lines, boolean isTruncated) {

    public static final int MAX_LINES = 5000;

    /** Reads at most this much, even if that gives fewer lines. */
    private static final int MAX_BYTES_READ = 4 << 20;

    private static final int CHUNK = 64 << 10;

    public LogFileTail {
        lines = List.copyOf(lines);
    }

    /**
     * @param lineCount at least 1
     */
    public static LogFileTail tail(Path file, int lineCount) throws IOException {
        try (var channel =
                FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long size = channel.size();
            int length = (int) Math.min(size, CHUNK);
            while (true) {
                var bytes = readLast(channel, size, length);
                int begin = startOf(bytes, lineCount);
                boolean isAll = length == size;
                if (begin > 0 || isAll || length == MAX_BYTES_READ) {
                    return linesFrom(bytes, begin, isAll);
                }
                length = (int) Math.min(size, Math.min(MAX_BYTES_READ, length * 4L));
            }
        }
    }

    private static LogFileTail linesFrom(byte[] bytes, int begin, boolean isAll) {
        int end =
                bytes.length > 0 && bytes[bytes.length - 1] == '\n'
                        ? bytes.length - 1
                        : bytes.length;
        if (end <= begin) {
            return new LogFileTail(
                    bytes.length == 0 ? List.of() : List.of(""), begin > 0 || !isAll);
        }
        var text = new String(bytes, begin, end - begin, StandardCharsets.UTF_8);
        var lines =
                List.of(text.split("\n", -1)).stream()
                        .map(LogFileTail::withoutCarriageReturn)
                        .toList();
        return new LogFileTail(lines, begin > 0 || !isAll);
    }

    /** The start of the last {@code lineCount} lines; 0 if there are not more. */
    private static int startOf(byte[] bytes, int lineCount) {
        int lines = 0;
        // The final newline does not start another line.
        for (int at = bytes.length - 2; at >= 0; at--) {
            if (bytes[at] == '\n' && ++lines == lineCount) {
                return at + 1;
            }
        }
        return 0;
    }

    private static byte[] readLast(FileChannel channel, long size, int length) throws IOException {
        var buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()
                && channel.read(buffer, size - length + buffer.position()) >= 0) {
            // Continue; a file truncated meanwhile ends earlier.
        }
        var bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    private static String withoutCarriageReturn(String line) {
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }
}
