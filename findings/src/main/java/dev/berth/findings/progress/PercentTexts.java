package dev.berth.findings.progress;

import java.util.Optional;
import java.util.regex.Pattern;

/** Parses percentages in text. They are reported only if nothing else is counted. */
final class PercentTexts {

    private static final String PERCENT = "(\\d{1,3})(?:\\.\\d{1,6})?%";

    /** {@code complete 75.88%}, {@code 40% done}, {@code [50.00%] i: 8110}. */
    private static final Pattern DONE =
            Pattern.compile(
                    "(?i)^.{0,200}?(?<![\\w.-])(?:(?:completed?|done|progress)[:= ]{1,3}"
                            + PERCENT
                            + "|"
                            + PERCENT
                            + " (?:completed?|done|finished)\\b)|^\\["
                            + PERCENT
                            + "\\] \\w");

    private PercentTexts() {}

    static Optional<ProgressCount> parse(String line) {
        var match = DONE.matcher(line);
        if (line.indexOf('%') < 0 || !match.find()) {
            return Optional.empty();
        }
        int group = 1;
        while (match.group(group) == null) {
            group++;
        }
        if (TextCounts.isAfterProse(line, match.start(group))) {
            return Optional.empty();
        }
        long percent = Long.parseLong(match.group(group));
        return Optional.of(ProgressCount.text("", percent, 100, DownloadBars.PERCENT))
                .filter(ProgressCount::isValid)
                .map(count -> count.withTimeLeft(TextCounts.eta(line)));
    }
}
