package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.node.log.LogFileBytes;
import dev.berth.node.log.LogFileSearch;
import dev.berth.node.log.LogPages;
import dev.berth.node.log.LogSlice;
import dev.berth.node.log.LogTail;
import dev.berth.node.log.LogText;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reads and searches the logs of attempts on this host. */
final class LocalLogs implements TaskLogs, LogFiles {

    private static final int SEARCHES = 2;

    private final Path tasksDirectory;

    /**
     * A search of a long log computes for a second. On the thread of its request it would keep
     * other requests from running.
     */
    private final ExecutorService searchThreads =
            Executors.newFixedThreadPool(
                    SEARCHES, Thread.ofPlatform().daemon().name("log-search-", 1).factory());

    LocalLogs(Path tasksDirectory) {
        this.tasksDirectory = tasksDirectory;
    }

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
    public LogMatches search(AttemptId attempt, LogPart part, LogSearch search)
            throws LogUnreadable {
        var result =
                searchThreads.submit(
                        () -> read(attempt, log -> LogFileSearch.of(log, part, search)));
        try {
            return result.get();
        } catch (InterruptedException closed) {
            result.cancel(true);
            Thread.currentThread().interrupt();
            throw new LogUnreadable("the search was interrupted", closed);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof LogUnreadable unreadable) {
                throw unreadable;
            }
            throw new IllegalStateException(failure.getCause());
        }
    }

    @Override
    public LogPage pageFrom(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        return read(attempt, log -> LogPages.from(log, part, offset));
    }

    @Override
    public LogPage pageBefore(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        return read(attempt, log -> LogPages.before(log, part, offset));
    }

    @Override
    public boolean isMissing(AttemptId attempt) {
        return Files.notExists(log(attempt), LinkOption.NOFOLLOW_LINKS);
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
