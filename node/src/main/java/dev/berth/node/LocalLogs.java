package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.node.log.LogSlice;
import dev.berth.node.log.LogTail;
import dev.berth.node.log.LogText;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.read.TaskLogs;

import java.io.IOException;
import java.nio.file.Path;

/** Reads the logs of attempts on this host. */
record LocalLogs(Path tasksDirectory) implements TaskLogs {

    @Override
    public LogSection tail(AttemptId attempt, int lines) throws LogUnreadable {
        return piece(attempt, log -> LogTail.read(log, lines));
    }

    @Override
    public LogSection from(AttemptId attempt, long offset, boolean partial) throws LogUnreadable {
        return piece(attempt, log -> LogSlice.read(log, offset, partial));
    }

    @Override
    public String path(AttemptId attempt) {
        return log(attempt).toString();
    }

    private interface Reading {
        LogText of(Path log) throws IOException;
    }

    private LogSection piece(AttemptId attempt, Reading reading) throws LogUnreadable {
        try {
            var text = reading.of(log(attempt));
            return new LogSection(text.lines(), text.truncated(), text.gap(), text.nextOffset());
        } catch (IOException failure) {
            throw new LogUnreadable(
                    "the log of attempt " + attempt + " cannot be read: " + failure, failure);
        }
    }

    private Path log(AttemptId attempt) {
        return AttemptDirectory.find(tasksDirectory, attempt).log();
    }
}
