package dev.berth.runs;

import dev.berth.files.AtomicFile;
import dev.berth.files.RotatingLogFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Lines that are written together by one call, which may outlive its time limit. */
final class RunLogBatch {

    private static final long FILE_BYTES = 10 << 20;
    private static final int FILES_KEPT = 5;

    private final List<String> lines;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);

    /** Other threads read it after the state has become {@code ENDED}. */
    private int written;

    private enum State {
        NEW,
        RUNNING,
        ENDED
    }

    /**
     * @param lines each with a line end
     */
    RunLogBatch(List<String> lines) {
        this.lines = List.copyOf(lines);
    }

    /**
     * Opens the file for each call: if it was moved or deleted, it is created again.
     *
     * @return true if this call has written
     */
    boolean writeTo(Path file) throws IOException {
        if (!state.compareAndSet(State.NEW, State.RUNNING)) {
            return false;
        }
        try {
            AtomicFile.createDirectory(file.toAbsolutePath().resolveSibling(""));
            try (var text = new RotatingLogFile(file, FILE_BYTES, FILES_KEPT)) {
                for (var line : lines) {
                    text.write(line);
                    written++;
                }
            }
            return true;
        } finally {
            state.set(State.ENDED);
        }
    }

    /** Ends the batch if its call was refused a thread. */
    void withdraw() {
        state.compareAndSet(State.NEW, State.ENDED);
    }

    boolean isEnded() {
        return state.get() == State.ENDED;
    }

    List<String> unwritten() {
        return lines.subList(written, lines.size());
    }
}
