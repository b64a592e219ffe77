package dev.berth.nodesocket.client;

import dev.berth.core.id.AttemptId;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The logs of the node.
 *
 * @param tasks the directory that contains the task directories
 */
record RemoteLogs(RemoteNode node, Path tasks) implements TaskLogs, LogFiles {

    private static final Duration READ_LIMIT = Duration.ofSeconds(10);

    /** A search reads a whole log. */
    private static final Duration SEARCH_LIMIT = Duration.ofMinutes(1);

    /** More are read in several steps. */
    private static final int MAX_BYTES = 1 << 20;

    @Override
    public LogSection tail(AttemptId attempt, LogPart part, int lines) throws LogUnreadable {
        var query = new Query.Tail(attempt, part, lines);
        return ask(attempt, query, Reply.Section.class, READ_LIMIT).section();
    }

    @Override
    public LogSection from(AttemptId attempt, LogPart part, long offset, boolean partial)
            throws LogUnreadable {
        var query = new Query.ReadFrom(attempt, part, offset, partial);
        return ask(attempt, query, Reply.Section.class, READ_LIMIT).section();
    }

    @Override
    public LogBytes bytes(AttemptId attempt, LogPart part, long offset, int limit)
            throws LogUnreadable {
        var query = new Query.ReadBytes(attempt, part, offset, Math.min(limit, MAX_BYTES));
        return ask(attempt, query, Reply.Bytes.class, READ_LIMIT).bytes();
    }

    @Override
    public LogStart startOfLast(AttemptId attempt, LogPart part, long lines) throws LogUnreadable {
        var query = new Query.StartOfLast(attempt, part, lines);
        return ask(attempt, query, Reply.Start.class, SEARCH_LIMIT).start();
    }

    @Override
    public LogMatches search(AttemptId attempt, LogPart part, LogSearch search)
            throws LogUnreadable {
        var query = new Query.Search(attempt, part, search);
        return ask(attempt, query, Reply.Matches.class, SEARCH_LIMIT).matches();
    }

    @Override
    public LogPage pageFrom(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        var query = new Query.PageFrom(attempt, part, offset);
        return ask(attempt, query, Reply.Page.class, READ_LIMIT).page();
    }

    @Override
    public LogPage pageBefore(AttemptId attempt, LogPart part, long offset) throws LogUnreadable {
        var query = new Query.PageBefore(attempt, part, offset);
        return ask(attempt, query, Reply.Page.class, READ_LIMIT).page();
    }

    /** False if it cannot be told, as by a node that does not know the question. */
    @Override
    public boolean isMissing(AttemptId attempt) {
        try {
            var query = new Query.IsLogMissing(attempt);
            return ask(attempt, query, Reply.Truth.class, READ_LIMIT).isTrue();
        } catch (LogUnreadable away) {
            return false;
        }
    }

    /** Without a question to the node: lists of tasks show one for each. */
    @Override
    public String path(AttemptId attempt) {
        return tasks.resolve("task_" + attempt.task())
                .resolve("attempts")
                .resolve(Integer.toString(attempt.number()))
                .resolve("tmux.log")
                .toString();
    }

    private <T extends Reply> T ask(
            AttemptId attempt, Query query, Class<T> type, Duration timeLimit)
            throws LogUnreadable {
        try {
            return node.ask(query, type, timeLimit);
        } catch (NodeAway away) {
            throw new LogUnreadable(
                    "the log of attempt " + attempt + " cannot be read: " + away.getMessage(),
                    away);
        } catch (IOException failure) {
            throw new LogUnreadable(String.valueOf(failure.getMessage()), failure);
        }
    }
}
