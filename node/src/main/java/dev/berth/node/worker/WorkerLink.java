package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ErrorSentence;
import dev.berth.port.Fact.WorkerFault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The two threads that read and write the FIFOs of one worker. Platform threads, because both block
 * in system calls: a worker that does not read stops only its own writer.
 */
final class WorkerLink {

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

    /** The receiver of what comes from a worker. */
    interface Receiver {

        void received(String line);

        void fail(WorkerFault fault, String why);

        /** One direction does not work any more, mostly because the worker is ending. */
        void broken(String why);
    }

    void start(Receiver receiver) {
        Thread.ofPlatform().daemon().name("worker-reader-" + id).start(() -> read(receiver));
        Thread.ofPlatform().daemon().name("worker-writer-" + id).start(() -> write(receiver));
    }

    void send(String line) {
        outgoing.add(line);
    }

    private void read(Receiver receiver) {
        try (var input = pipes.openOutput()) {
            var reader = new LineReader(input, MAX_LINE_BYTES);
            for (var line = reader.next(); line.isPresent() && !isClosed; line = reader.next()) {
                receiver.received(line.get());
            }
            receiver.broken(ErrorSentence.WORKER_OUTPUT.text());
        } catch (LineReader.LineTooLong _) {
            receiver.fail(
                    WorkerFault.PROTOCOL, ErrorSentence.WORKER_LONG_LINE.text(MAX_LINE_BYTES));
        } catch (IOException failure) {
            receiver.broken(
                    ErrorSentence.WORKER_UNREADABLE.text(String.valueOf(failure.getMessage())));
        }
    }

    private void write(Receiver receiver) {
        try (var output = pipes.openInput()) {
            for (var line = outgoing.take(); !isClosed; line = outgoing.take()) {
                output.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException gone) {
            receiver.broken(ErrorSentence.WORKER_INPUT.text(String.valueOf(gone.getMessage())));
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
