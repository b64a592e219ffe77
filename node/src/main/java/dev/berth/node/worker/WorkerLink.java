package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.port.Fact.WorkerFault;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The two threads that read and write the FIFOs of one worker. Platform threads, because both block
 * in system calls: a worker that does not read stops only its own writer.
 */
final class WorkerLink {

    private static final Logger log = LoggerFactory.getLogger(WorkerLink.class);

    /** A result of 1 MiB, and the message around it. */
    static final int MAX_LINE_BYTES = (1 << 20) + (64 << 10);

    private static final String END = "";

    private final AttemptId id;
    private final WorkerPipes pipes;
    private final BlockingQueue<String> outgoing = new LinkedBlockingQueue<>();
    private volatile boolean isClosed;

    WorkerLink(AttemptId id, WorkerPipes pipes) {
        this.id = id;
        this.pipes = pipes;
    }

    /**
     * @param lines takes what the worker prints
     * @param failures takes what is wrong with it
     */
    void start(Consumer<String> lines, BiConsumer<WorkerFault, String> failures) {
        Thread.ofPlatform().daemon().name("worker-reader-" + id).start(() -> read(lines, failures));
        Thread.ofPlatform().daemon().name("worker-writer-" + id).start(this::write);
    }

    void send(String line) {
        outgoing.add(line);
    }

    private void read(Consumer<String> lines, BiConsumer<WorkerFault, String> failures) {
        try (var input = pipes.openOutput()) {
            var reader = new LineReader(input, MAX_LINE_BYTES);
            for (var line = reader.next(); line.isPresent() && !isClosed; line = reader.next()) {
                lines.accept(line.get());
            }
        } catch (LineReader.LineTooLong tooLong) {
            failures.accept(WorkerFault.PROTOCOL, tooLong.getMessage());
        } catch (IOException failure) {
            if (!isClosed) {
                log.warn("worker={} cannot be read: {}", id, failure.toString());
            }
        }
    }

    private void write() {
        try (var output = pipes.openInput()) {
            for (var line = outgoing.take(); !isClosed; line = outgoing.take()) {
                output.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException gone) {
            // Its end is reported by the kernel.
            log.debug("worker={} does not read any more: {}", id, gone.toString());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void close() {
        isClosed = true;
        outgoing.add(END);
        pipes.unblock();
    }
}
