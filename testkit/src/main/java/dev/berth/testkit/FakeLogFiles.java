package dev.berth.testkit;

import dev.berth.core.id.AttemptId;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs.LogPart;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Map;

/**
 * Logs as texts of ASCII characters. Banners are the first and last lines that begin with {@code
 * =====}.
 *
 * @param texts the same as those of {@link FakeTaskLogs}
 */
public record FakeLogFiles(Map<AttemptId, String> texts) implements LogFiles {

    @Override
    public LogMatches search(AttemptId attempt, LogPart part, LogSearch search) {
        var text = text(attempt);
        var bounds = bounds(text, part);
        var all = new ArrayList<LogMatch>();
        long offset = bounds.begin();
        long number = 1;
        for (var line : cut(text, bounds.begin(), bounds.end()).lines().toList()) {
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
        var kept = wanted.subList(from, Math.min(wanted.size(), from + search.limit()));
        long first = kept.isEmpty() ? 0 : all.indexOf(kept.getFirst());
        return new LogMatches(all.size(), first, kept, text.length());
    }

    @Override
    public LogPage pageFrom(AttemptId attempt, LogPart part, long offset) {
        var text = text(attempt);
        var bounds = bounds(text, part);
        return page(text, bounds, Math.clamp(offset, bounds.begin(), bounds.end()), bounds.end());
    }

    @Override
    public LogPage pageBefore(AttemptId attempt, LogPart part, long offset) {
        var text = text(attempt);
        var bounds = bounds(text, part);
        return page(text, bounds, bounds.begin(), Math.clamp(offset, bounds.begin(), bounds.end()));
    }

    private static LogPage page(String text, LogBounds bounds, long start, long end) {
        return new LogPage(bounds, start, cut(text, start, end).lines().toList(), end, false);
    }

    private static LogBounds bounds(String text, LogPart part) {
        if (part == LogPart.WHOLE) {
            return new LogBounds(0, text.length(), text.length());
        }
        int begin = 0;
        while (text.startsWith("=====", begin)) {
            begin = text.indexOf('\n', begin) + 1;
        }
        int banner = text.indexOf("\n=====", begin);
        return new LogBounds(begin, banner < 0 ? text.length() : banner + 1, text.length());
    }

    private static String cut(String text, long from, long to) {
        return text.substring((int) from, (int) to);
    }

    private String text(AttemptId attempt) {
        return texts.getOrDefault(attempt, "");
    }
}
