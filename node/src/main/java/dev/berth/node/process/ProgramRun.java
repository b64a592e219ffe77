package dev.berth.node.process;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program until it ends or its time is up, and keeps the beginning of what it prints. Never
 * blocks in a read: a child that the program leaves behind may keep a pipe open.
 */
public final class ProgramRun {

    private static final long MIN_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private ProgramRun() {}

    /**
     * @param outputBytes how much is kept, of its output and of its errors
     */
    public record Limits(Duration time, int outputBytes) {}

    public sealed interface Result {

        /**
         * @param isCut the program printed more than was kept
         */
        record Ended(int status, String output, String errors, boolean isCut) implements Result {}

        /** It was killed; one that hangs in the kernel may still be there. */
        record TimedOut() implements Result {}
    }

    /** A program without input. */
    public static ProcessBuilder builder(List<String> command) {
        return new ProcessBuilder(command).redirectInput(new File("/dev/null"));
    }

    /** Waits for the end of the program, which is killed if this thread is interrupted. */
    public static Result await(Process process, Limits limits)
            throws IOException, InterruptedException {
        try (var output = new Printed(process.getInputStream(), limits.outputBytes());
                var errors = new Printed(process.getErrorStream(), limits.outputBytes())) {
            long deadline = System.nanoTime() + limits.time().toNanos();
            long pause = MIN_PAUSE_NANOS;
            while (System.nanoTime() - deadline < 0) {
                // What it printed before its end is read after this.
                boolean isAlive = process.isAlive();
                boolean hasPrinted = output.read() | errors.read();
                if (!isAlive && !hasPrinted) {
                    return new Result.Ended(
                            process.exitValue(),
                            output.text(),
                            errors.text(),
                            output.isCut || errors.isCut);
                }
                pause = hasPrinted ? MIN_PAUSE_NANOS : Math.min(2 * pause, MAX_PAUSE_NANOS);
                var _ = process.waitFor(pause, TimeUnit.NANOSECONDS);
            }
            return new Result.TimedOut();
        } finally {
            process.destroyForcibly();
        }
    }

    /** What a program has printed so far. */
    private static final class Printed implements AutoCloseable {
        private final InputStream in;
        private final int limit;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private boolean isCut;

        Printed(InputStream in, int limit) {
            this.in = in;
            this.limit = limit;
        }

        /** False if nothing has arrived. */
        boolean read() throws IOException {
            var chunk = in.readNBytes(in.available());
            int length = Math.min(chunk.length, limit - kept.size());
            kept.write(chunk, 0, length);
            isCut |= length < chunk.length;
            return chunk.length > 0;
        }

        String text() {
            return kept.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
