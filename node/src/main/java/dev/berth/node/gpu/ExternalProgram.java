package dev.berth.node.gpu;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a program until it ends or its time limit has passed. Never blocks in a read: a child of a
 * killed process may keep the pipe open. One run at a time.
 */
final class ExternalProgram {

    private static final int CHUNK = 8192;
    private static final int MAX_BYTES = 1 << 20;

    private final ProgramLimits limits;
    private volatile Optional<Process> running = Optional.empty();
    private volatile boolean isClosed;

    /**
     * @param pollInterval interval at which the end is checked
     * @param killWait how long to wait for a killed process, which may hang in a driver
     */
    record ProgramLimits(
            Duration timeout, Duration pollInterval, Duration killWait, Overflow overflow) {}

    /** What to do if the output becomes too long. */
    enum Overflow {
        /** Kill the program; the run fails. */
        KILL,
        /** Keep only the latest output. */
        KEEP_LATEST
    }

    sealed interface ProgramOutcome {

        /**
         * @param text the output
         */
        record Ended(int status, String text) implements ProgramOutcome {}

        /** It was killed, but may still exist if it hangs in the driver. */
        record TimedOut(String text) implements ProgramOutcome {}
    }

    ExternalProgram(ProgramLimits limits) {
        this.limits = limits;
    }

    ProgramOutcome run(ProcessBuilder builder) throws IOException {
        if (isClosed) {
            throw new IOException("the server is closing");
        }
        var process = builder.start();
        running = Optional.of(process);
        try {
            if (isClosed) {
                kill(process);
            }
            process.getOutputStream().close();
            return outcome(process);
        } finally {
            running = Optional.empty();
        }
    }

    private ProgramOutcome outcome(Process process) throws IOException {
        var text = new ByteArrayOutputStream();
        long deadline = System.nanoTime() + limits.timeout().toNanos();
        try (var output = process.getInputStream()) {
            while (process.isAlive() || output.available() > 0) {
                drain(output, text, deadline);
                if (text.size() > MAX_BYTES) {
                    killAndAwait(process);
                    throw new IOException("it prints without end");
                }
                if (System.nanoTime() - deadline > 0) {
                    killAndAwait(process);
                    return new ProgramOutcome.TimedOut(text.toString(StandardCharsets.UTF_8));
                }
                LockSupport.parkNanos(limits.pollInterval().toNanos());
            }
        }
        return new ProgramOutcome.Ended(process.exitValue(), text.toString(StandardCharsets.UTF_8));
    }

    /** Stops at the deadline if the program prints as fast as this method reads. */
    void drain(InputStream output, ByteArrayOutputStream text, long deadline) throws IOException {
        var chunk = new byte[CHUNK];
        while (output.available() > 0
                && text.size() <= MAX_BYTES
                && System.nanoTime() - deadline <= 0) {
            int length = output.read(chunk, 0, Math.min(chunk.length, output.available()));
            if (length <= 0) {
                return;
            }
            if (limits.overflow() == Overflow.KEEP_LATEST && text.size() + length > MAX_BYTES) {
                text.reset();
            }
            text.write(chunk, 0, length);
        }
    }

    private void killAndAwait(Process process) {
        kill(process);
        try {
            var _ = process.waitFor(limits.killWait().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    void close() {
        isClosed = true;
        running.ifPresent(ExternalProgram::kill);
    }
}
