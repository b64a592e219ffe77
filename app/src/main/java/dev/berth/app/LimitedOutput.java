package dev.berth.app;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Passes on the first bytes only. The writer does not learn that the others are dropped. */
final class LimitedOutput extends FilterOutputStream {

    private static final byte[] NOTE =
            "\n(further output is dropped)\n".getBytes(StandardCharsets.UTF_8);

    private long left;

    private LimitedOutput(OutputStream out, long maxBytes) {
        super(out);
        this.left = maxBytes;
    }

    static PrintStream of(OutputStream out, long maxBytes) {
        return new PrintStream(new LimitedOutput(out, maxBytes), true, StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        if (left <= 0) {
            return;
        }
        int fitting = (int) Math.min(left, length);
        out.write(bytes, offset, fitting);
        left -= fitting;
        if (left == 0) {
            out.write(NOTE);
        }
    }

    @Override
    public void write(int oneByte) throws IOException {
        write(new byte[] {(byte) oneByte}, 0, 1);
    }
}
