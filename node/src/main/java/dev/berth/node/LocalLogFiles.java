package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.node.log.LogFileSearch;
import dev.berth.node.log.LogPages;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.io.IOException;
import java.nio.file.Path;

/** Search and reading anywhere in the logs of attempts on this host. */
record LocalLogFiles(Path tasksDirectory) implements LogFiles {

    @Override
    public LogMatches search(AttemptId attempt, LogPart part, LogSearch search)
            throws LogUnreadable {
        return read(attempt, log -> LogFileSearch.of(log, part, search));
    }

    @Override
    public LogPage pageFrom(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        return read(attempt, log -> LogPages.from(log, part, offset));
    }

    @Override
    public LogPage pageBefore(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        return read(attempt, log -> LogPages.before(log, part, offset));
    }

    private interface Reading<T> {
        T of(Path log) throws IOException;
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
