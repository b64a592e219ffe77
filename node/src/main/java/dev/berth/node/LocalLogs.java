package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.node.log.LogFileBytes;
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
    public LogSection tail(AttemptId attempt, LogPart part, int lines) throws LogUnreadable {
        return section(attempt, log -> LogTail.read(log, part, lines));
    }

    @Override
    public LogSection from(AttemptId attempt, LogPart part, long offset, boolean partial)
            throws LogUnreadable {
        return section(attempt, log -> LogSlice.read(log, part, offset, partial));
    }

    @Override
    public LogBytes bytes(AttemptId attempt, LogPart part, long offset, int limit)
            throws LogUnreadable {
        return read(attempt, log -> LogFileBytes.read(log, part, offset, limit));
    }

    @Override
    public LogStart startOfLast(AttemptId attempt, LogPart part, long lines) throws LogUnreadable {
        return read(attempt, log -> LogFileBytes.startOfLast(log, part, lines));
    }

    @Override
    public String path(AttemptId attempt) {
        return log(attempt).toString();
    }

    private interface Reading<T> {
        T of(Path log) throws IOException;
    }

    private LogSection section(AttemptId attempt, Reading<LogText> reading) throws LogUnreadable {
        var text = read(attempt, reading);
        return new LogSection(text.lines(), text.truncated(), text.gap(), text.nextOffset());
    }

    private <T> T read(AttemptId attempt, Reading<T> reading) throws LogUnreadable {
        try {
            return reading.of(log(attempt));
        } catch (IOException failure) {
            throw new LogUnreadable(
                    "the log of attempt " + attempt + " cannot be read: " + failure, failure);
        }
    }

    private Path log(AttemptId attempt) {
        return AttemptDirectory.find(tasksDirectory, attempt).log();
    }
}
