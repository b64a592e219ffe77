package dev.berth.node;

import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.TaskLogs;
import dev.berth.node.log.LogSlice;
import dev.berth.node.log.LogTail;
import dev.berth.node.log.LogText;
import dev.berth.node.shim.AttemptDirectory;

import java.io.IOException;
import java.nio.file.Path;

/** The logs of this host's attempts. */
record LocalLogs(Path tasks) implements TaskLogs {

    @Override
    public Piece tail(AttemptId attempt, int lines) throws LogUnreadable {
        return piece(attempt, log -> LogTail.read(log, lines));
    }

    @Override
    public Piece from(AttemptId attempt, long offset, boolean partial) throws LogUnreadable {
        return piece(attempt, log -> LogSlice.read(log, offset, partial));
    }

    @Override
    public String path(AttemptId attempt) {
        return log(attempt).toString();
    }

    private interface Reading {
        LogText of(Path log) throws IOException;
    }

    private Piece piece(AttemptId attempt, Reading reading) throws LogUnreadable {
        try {
            var text = reading.of(log(attempt));
            return new Piece(text.lines(), text.truncated(), text.gap(), text.nextOffset());
        } catch (IOException failure) {
            throw new LogUnreadable(
                    "the log of attempt " + attempt + " cannot be read: " + failure, failure);
        }
    }

    private Path log(AttemptId attempt) {
        return AttemptDirectory.of(tasks, attempt).log();
    }
}
