package dev.berth.server.lane;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The last lines of a file, found from its end.
 *
 * @param truncated there is more before these lines
 */
public record LogEnd(List<String> lines, boolean truncated) {

    public static final int MOST_LINES = 5000;

    /** Looks no further back than this, however few lines that gives. */
    private static final int FURTHEST = 4 << 20;

    private static final int CHUNK = 64 << 10;

    public LogEnd {
        lines = List.copyOf(lines);
    }

    /**
     * @param wanted at least 1
     */
    public static LogEnd of(Path file, int wanted) throws IOException {
        try (var channel =
                FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long size = channel.size();
            int length = (int) Math.min(size, CHUNK);
            while (true) {
                var bytes = last(channel, size, length);
                int begin = begin(bytes, wanted);
                boolean isAll = length == size;
                if (begin > 0 || isAll || length == FURTHEST) {
                    return shown(bytes, begin, isAll);
                }
                length = (int) Math.min(size, Math.min(FURTHEST, length * 4L));
            }
        }
    }

    private static LogEnd shown(byte[] bytes, int begin, boolean isAll) {
        int end =
                bytes.length > 0 && bytes[bytes.length - 1] == '\n'
                        ? bytes.length - 1
                        : bytes.length;
        if (end <= begin) {
            return new LogEnd(bytes.length == 0 ? List.of() : List.of(""), begin > 0 || !isAll);
        }
        var text = new String(bytes, begin, end - begin, StandardCharsets.UTF_8);
        var lines = List.of(text.split("\n", -1)).stream().map(LogEnd::withoutReturn).toList();
        return new LogEnd(lines, begin > 0 || !isAll);
    }

    /** Where the last so many lines begin; 0 where there are no more. */
    private static int begin(byte[] bytes, int wanted) {
        int lines = 0;
        // The newline that ends the last line begins no other.
        for (int at = bytes.length - 2; at >= 0; at--) {
            if (bytes[at] == '\n' && ++lines == wanted) {
                return at + 1;
            }
        }
        return 0;
    }

    private static byte[] last(FileChannel channel, long size, int length) throws IOException {
        var buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()
                && channel.read(buffer, size - length + buffer.position()) >= 0) {
            // Read on; a file that was cut short meanwhile ends earlier.
        }
        var bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    private static String withoutReturn(String line) {
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }
}
