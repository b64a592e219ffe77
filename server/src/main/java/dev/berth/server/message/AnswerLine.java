package dev.berth.server.message;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A line of what the other side says, which may be anybody: it has an end. */
final class AnswerLine {

    private static final int MOST = 8 << 10;

    private AnswerLine() {}

    /** Without what ends it. */
    static String read(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("no whole answer came");
            }
            if (line.size() >= MOST) {
                throw new IOException("a line of its answer has no end");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).replaceFirst("\r$", "");
    }
}
