package dev.berth.cli.command.task;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Reads a log up to its present end. While one piece of a long log is printed, the next one is
 * already read by a thread, so that the server and this program work at the same time.
 */
final class LogReadAhead implements Closeable {

    private final TaskLogReader reader;
    private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(1);
    private @Nullable Thread thread;

    /**
     * @param failure why nothing more can be read, or null
     */
    private record Piece(byte[] bytes, @Nullable RuntimeException failure) {}

    LogReadAhead(TaskLogReader reader) {
        this.reader = reader;
    }

    /** The bytes that follow; empty at the present end, after which it is not called again. */
    byte[] next() throws InterruptedException {
        if (thread != null) {
            Piece piece = pieces.take();
            if (piece.failure != null) {
                throw piece.failure;
            }
            return piece.bytes;
        }
        byte[] first = reader.next();
        // A short log ends here, and a thread would cost more than it saves.
        if (first.length >= TaskLogReader.PIECE_BYTES) {
            thread = Thread.ofPlatform().daemon().name("log-reader").start(this::readAll);
        }
        return first;
    }

    private void readAll() {
        try {
            byte[] bytes;
            do {
                bytes = reader.next();
                pieces.put(new Piece(bytes, null));
            } while (bytes.length > 0);
        } catch (RuntimeException failure) {
            putLast(new Piece(new byte[0], failure));
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void putLast(Piece piece) {
        try {
            pieces.put(piece);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when the reader is no longer in use. */
    @Override
    public void close() {
        Thread running = thread;
        if (running == null) {
            return;
        }
        running.interrupt();
        boolean isInterrupted = false;
        while (running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException later) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
