package dev.berth.node.worker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads lines of limited length, so that a worker cannot fill the memory of the server. */
final class LineReader {

    private static final int BUFFER_BYTES = 16 * 1024;

    private final InputStream input;
    private final int maxBytes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int start;
    private int end;

    LineReader(InputStream input, int maxBytes) {
        this.input = input;
        this.maxBytes = maxBytes;
    }

    /** A line is longer than allowed. */
    static final class LineTooLong extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** The next line; empty at the end. A last line without a line break is dropped. */
    Optional<String> next() throws IOException {
        var line = new ByteArrayOutputStream();
        while (true) {
            for (int at = start; at < end; at++) {
                if (buffer[at] == '\n') {
                    line.write(buffer, start, at - start);
                    start = at + 1;
                    return Optional.of(line.toString(StandardCharsets.UTF_8));
                }
            }
            line.write(buffer, start, end - start);
            if (line.size() > maxBytes) {
                throw new LineTooLong();
            }
            start = 0;
            end = input.read(buffer);
            if (end < 0) {
                end = 0;
                return Optional.empty();
            }
        }
    }
}
