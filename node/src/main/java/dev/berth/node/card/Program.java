package dev.berth.node.card;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a program to its end, or until it has taken too long. Never blocks in a read: a process
 * below a killed one may keep the pipe open. One at a time.
 */
final class Program {

    private static final int CHUNK = 8192;
    private static final int MOST_BYTES = 1 << 20;

    private final Limits limits;
    private volatile Optional<Process> outstanding = Optional.empty();
    private volatile boolean isClosed;

    /**
     * @param lookEvery how soon its end is noticed
     * @param grief how long it is waited for one that was killed: in a driver it may hang on
     */
    record Limits(Duration patience, Duration lookEvery, Duration grief, Surfeit surfeit) {}

    /** What is done about output without end. */
    enum Surfeit {
        /** It is killed, and the run fails. */
        KILL,
        /** The latest of it is kept. */
        FORGET
    }

    /** What became of it. */
    sealed interface Outcome {

        /**
         * @param text what it printed
         */
        record Ended(int status, String text) implements Outcome {}

        /** It was killed; it may still be there where it hangs in the driver. */
        record TooLong(String text) implements Outcome {}
    }

    Program(Limits limits) {
        this.limits = limits;
    }

    Outcome run(ProcessBuilder builder) throws IOException {
        if (isClosed) {
            throw new IOException("the server is closing");
        }
        var process = builder.start();
        outstanding = Optional.of(process);
        try {
            if (isClosed) {
                kill(process);
            }
            process.getOutputStream().close();
            return outcome(process);
        } finally {
            outstanding = Optional.empty();
        }
    }

    private Outcome outcome(Process process) throws IOException {
        var text = new ByteArrayOutputStream();
        long deadline = System.nanoTime() + limits.patience().toNanos();
        try (var output = process.getInputStream()) {
            while (process.isAlive() || output.available() > 0) {
                drain(output, text, deadline);
                if (text.size() > MOST_BYTES) {
                    killAndAwait(process);
                    throw new IOException("it prints without end");
                }
                if (System.nanoTime() - deadline > 0) {
                    killAndAwait(process);
                    return new Outcome.TooLong(text.toString(StandardCharsets.UTF_8));
                }
                LockSupport.parkNanos(limits.lookEvery().toNanos());
            }
        }
        return new Outcome.Ended(process.exitValue(), text.toString(StandardCharsets.UTF_8));
    }

    /** One that prints as fast as this reads is left at the deadline. */
    void drain(InputStream output, ByteArrayOutputStream text, long deadline) throws IOException {
        var chunk = new byte[CHUNK];
        while (output.available() > 0
                && text.size() <= MOST_BYTES
                && System.nanoTime() - deadline <= 0) {
            int length = output.read(chunk, 0, Math.min(chunk.length, output.available()));
            if (length <= 0) {
                return;
            }
            if (limits.surfeit() == Surfeit.FORGET && text.size() + length > MOST_BYTES) {
                text.reset();
            }
            text.write(chunk, 0, length);
        }
    }

    private void killAndAwait(Process process) {
        kill(process);
        try {
            var _ = process.waitFor(limits.grief().toMillis(), TimeUnit.MILLISECONDS);
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
        outstanding.ifPresent(Program::kill);
    }
}
