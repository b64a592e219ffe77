package dev.berth.testkit;

import dev.berth.core.id.AttemptId;
import dev.berth.port.read.LogFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Logs as texts of ASCII characters.
 *
 * @param texts the same as those of {@link FakeTaskLogs}
 */
public record FakeLogFiles(Map<AttemptId, String> texts) implements LogFiles {

    @Override
    public LogMatches search(AttemptId attempt, LogSearch search) {
        var text = text(attempt);
        var all = new ArrayList<LogMatch>();
        long offset = 0;
        long number = 1;
        for (var line : text.lines().toList()) {
            if (line.toLowerCase(Locale.ROOT).contains(search.text().toLowerCase(Locale.ROOT))) {
                all.add(new LogMatch(number, offset, line));
            }
            offset += line.length() + 1;
            number++;
        }
        long before = search.before().orElse(Long.MAX_VALUE);
        var wanted =
                all.stream()
                        .filter(one -> one.offset() >= search.from() && one.offset() < before)
                        .toList();
        int from = search.before().isPresent() ? Math.max(0, wanted.size() - search.limit()) : 0;
        var part = wanted.subList(from, Math.min(wanted.size(), from + search.limit()));
        long first = part.isEmpty() ? 0 : all.indexOf(part.getFirst());
        return new LogMatches(all.size(), first, part, text.length());
    }

    @Override
    public LogPart partFrom(AttemptId attempt, long offset) {
        var text = text(attempt);
        int start = (int) Math.min(offset, text.length());
        return new LogPart(
                start, text.substring(start).lines().toList(), text.length(), false, text.length());
    }

    @Override
    public LogPart partBefore(AttemptId attempt, long offset) {
        var text = text(attempt);
        int end = (int) Math.min(offset, text.length());
        return new LogPart(0, text.substring(0, end).lines().toList(), end, false, text.length());
    }

    @Override
    public void copy(AttemptId attempt, Output out) throws IOException, InterruptedException {
        for (var line : List.of(text(attempt).split("(?<=\n)"))) {
            out.send(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    private String text(AttemptId attempt) {
        return texts.getOrDefault(attempt, "");
    }
}
