package dev.berth.testkit;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.port.read.TaskLogs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    /** How many readers have come to the gate. */
    public final AtomicLong readers = new AtomicLong();

    /** The task writes a line during each read. */
    public volatile boolean isGrowing;

    /** Their files do not exist. */
    public final Set<AttemptId> missing = ConcurrentHashMap.newKeySet();

    public volatile boolean broken;
    public volatile boolean defective;

    @Override
    public LogSection tail(AttemptId attempt, LogPart part, int count) throws LogUnreadable {
        var all = all(attempt, part);
        int from = Math.max(0, all.size() - count);
        return new LogSection(all.subList(from, all.size()), from > 0, false, all.size());
    }

    /** An offset counts lines here, unless the log has a text. */
    @Override
    public LogSection from(AttemptId attempt, LogPart part, long offset, boolean partial)
            throws LogUnreadable {
        var text = texts.get(attempt);
        if (text != null) {
            return piece(text, (int) Math.min(offset, text.length()), partial);
        }
        var all = all(attempt, part);
        var rest = new ArrayList<>(all.subList((int) Math.min(offset, all.size()), all.size()));
        if (partial) {
            rest.add("…");
        }
        return new LogSection(rest, offset > 0, false, all.size());
    }

    @Override
    public LogBytes bytes(AttemptId attempt, LogPart part, long offset, int limit)
            throws LogUnreadable {
        var all = text(attempt, part).getBytes(StandardCharsets.UTF_8);
        int from = (int) Math.min(offset, all.length);
        int to = (int) Math.min(all.length, (long) from + limit);
        return new LogBytes(Arrays.copyOfRange(all, from, to), to, all.length);
    }

    @Override
    public LogStart startOfLast(AttemptId attempt, LogPart part, long count) throws LogUnreadable {
        var all = all(attempt, part);
        int from = (int) Math.max(0, all.size() - count);
        long offset = all.subList(0, from).stream().mapToLong(line -> line.length() + 1L).sum();
        return new LogStart(offset, from > 0);
    }

    private String text(AttemptId attempt, LogPart part) throws LogUnreadable {
        return all(attempt, part).stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private static LogSection piece(String text, int from, boolean partial) {
        int end = partial ? text.length() : text.lastIndexOf('\n') + 1;
        var rest = end <= from ? "" : text.substring(from, end);
        return new LogSection(rest.lines().toList(), from > 0, false, Math.max(from, end));
    }

    @Override
    public boolean isMissing(AttemptId attempt) {
        return missing.contains(attempt);
    }

    @Override
    public String path(AttemptId attempt) {
        return "/logs/" + attempt + "/tmux.log";
    }

    /** Banners here are the lines that begin with {@code =====}. */
    private List<String> all(AttemptId attempt, LogPart part) throws LogUnreadable {
        readers.incrementAndGet();
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
        if (isGrowing) {
            lines.computeIfPresent(
                    attempt,
                    (_, all) -> Stream.concat(all.stream(), Stream.of("a further line")).toList());
        }
        var all = lines.getOrDefault(attempt, List.of());
        return part == LogPart.WHOLE
                ? all
                : all.stream().filter(line -> !line.startsWith("=====")).toList();
    }
}
