package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.node.log.LogFileSearch;
import dev.berth.node.log.LogParts;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.io.IOException;
import java.nio.file.Path;

/** The logs of attempts on this host, as whole files. */
record LocalLogFiles(Path tasksDirectory) implements LogFiles {

    @Override
    public LogMatches search(AttemptId attempt, LogSearch search) throws LogUnreadable {
        return read(attempt, log -> LogFileSearch.of(log, search));
    }

    @Override
    public LogPart partFrom(AttemptId attempt, long offset) throws LogUnreadable {
        return read(attempt, log -> LogParts.from(log, offset));
    }

    @Override
    public LogPart partBefore(AttemptId attempt, long offset) throws LogUnreadable {
        return read(attempt, log -> LogParts.before(log, offset));
    }

    @Override
    public void copy(AttemptId attempt, Output out) throws IOException, InterruptedException {
        LogParts.copy(log(attempt), out);
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
