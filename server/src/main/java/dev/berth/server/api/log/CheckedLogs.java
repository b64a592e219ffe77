package dev.berth.server.api.log;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskQueries;

/**
 * The logs of a node. One that was deleted is told from one that is empty: every attempt that began
 * had a log, because the node creates it first.
 */
public record CheckedLogs(TaskLogs logs, LogFiles files, TaskQueries queries)
        implements TaskLogs, LogFiles {

    @Override
    public LogSection tail(AttemptId attempt, LogPart part, int lines) throws LogUnreadable {
        return checked(attempt, logs.tail(attempt, part, lines));
    }

    @Override
    public LogSection from(AttemptId attempt, LogPart part, long offset, boolean partial)
            throws LogUnreadable {
        return checked(attempt, logs.from(attempt, part, offset, partial));
    }

    private LogSection checked(AttemptId attempt, LogSection section) throws LogUnreadable {
        if (section.nextOffset() == 0) {
            requireFile(attempt);
        }
        return section;
    }

    @Override
    public LogBytes bytes(AttemptId attempt, LogPart part, long offset, int limit)
            throws LogUnreadable {
        var bytes = logs.bytes(attempt, part, offset, limit);
        if (bytes.end() == 0) {
            requireFile(attempt);
        }
        return bytes;
    }

    @Override
    public LogStart startOfLast(AttemptId attempt, LogPart part, long lines) throws LogUnreadable {
        return logs.startOfLast(attempt, part, lines);
    }

    @Override
    public LogMatches search(AttemptId attempt, LogPart part, LogSearch search)
            throws LogUnreadable {
        var matches = files.search(attempt, part, search);
        if (matches.size() == 0) {
            requireFile(attempt);
        }
        return matches;
    }

    @Override
    public LogPage pageFrom(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        return checked(attempt, files.pageFrom(attempt, part, offset));
    }

    @Override
    public LogPage pageBefore(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        return checked(attempt, files.pageBefore(attempt, part, offset));
    }

    private LogPage checked(AttemptId attempt, LogPage page) throws LogUnreadable {
        if (page.bounds().size() == 0) {
            requireFile(attempt);
        }
        return page;
    }

    @Override
    public String path(AttemptId attempt) {
        return logs.path(attempt);
    }

    @Override
    public boolean isMissing(AttemptId attempt) {
        return logs.isMissing(attempt);
    }

    private void requireFile(AttemptId attempt) throws LogUnreadable {
        if (logs.isMissing(attempt) && hasBegun(attempt)) {
            throw new LogGone(logs.path(attempt));
        }
    }

    private boolean hasBegun(AttemptId id) throws LogUnreadable {
        try {
            return queries.attempts(id.task()).stream()
                    .filter(one -> one.id().equals(id))
                    .anyMatch(CheckedLogs::hasBegun);
        } catch (StoreFailure failure) {
            throw new LogUnreadable(String.valueOf(failure.getMessage()), failure);
        }
    }

    /** A call of a worker gets its log with its first line. */
    private static boolean hasBegun(Attempt attempt) {
        boolean hasExited = attempt.phase() instanceof Phase.Ended(_, Ending.Exited _, _);
        return !attempt.isCall() && (hasExited || attempt.phase().shimProcess().isPresent());
    }
}
