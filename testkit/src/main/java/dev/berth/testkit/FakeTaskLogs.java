package dev.berth.testkit;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.port.read.TaskLogs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Logs that the test writes. */
public final class FakeTaskLogs implements TaskLogs {

    public final Map<AttemptId, List<String>> lines = new ConcurrentHashMap<>();

    /** Logs with byte offsets, as in a file. */
    public final Map<AttemptId, String> texts = new ConcurrentHashMap<>();

    public void print(long task, String text) {
        texts.merge(new AttemptId(new TaskId(task), 1), text, String::concat);
    }

    /** Readers block here. */
    public volatile CountDownLatch gate = new CountDownLatch(0);

    public volatile boolean broken;
    public volatile boolean defective;

    @Override
    public LogSection tail(AttemptId attempt, int count) throws LogUnreadable {
        var all = all(attempt);
        int from = Math.max(0, all.size() - count);
        return new LogSection(all.subList(from, all.size()), from > 0, false, all.size());
    }

    /** An offset counts lines here, unless the log has a text. */
    @Override
    public LogSection from(AttemptId attempt, long offset, boolean partial) throws LogUnreadable {
        var text = texts.get(attempt);
        if (text != null) {
            return piece(text, (int) Math.min(offset, text.length()), partial);
        }
        var all = all(attempt);
        var rest = new ArrayList<>(all.subList((int) Math.min(offset, all.size()), all.size()));
        if (partial) {
            rest.add("…");
        }
        return new LogSection(rest, offset > 0, false, all.size());
    }

    private static LogSection piece(String text, int from, boolean partial) {
        int end = partial ? text.length() : text.lastIndexOf('\n') + 1;
        var rest = end <= from ? "" : text.substring(from, end);
        return new LogSection(rest.lines().toList(), from > 0, false, Math.max(from, end));
    }

    @Override
    public String path(AttemptId attempt) {
        return "/logs/" + attempt + "/tmux.log";
    }

    private List<String> all(AttemptId attempt) throws LogUnreadable {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (defective) {
            throw new IllegalStateException("a secret of the inside");
        }
        if (broken) {
            throw new LogUnreadable("told to fail", new IOException("told to fail"));
        }
        return lines.getOrDefault(attempt, List.of());
    }
}
