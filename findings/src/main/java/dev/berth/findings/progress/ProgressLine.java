package dev.berth.findings.progress;

import dev.berth.findings.log.LinePrefix;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The progress shown in one line.
 *
 * @param epoch the outer count
 * @param inner the count within an epoch, or a count without epochs
 */
record ProgressLine(
        String text, Optional<ProgressCount.Epoch> epoch, Optional<ProgressCount> inner) {

    private static final int MAX_CHARS = 300;

    private static final Pattern RESULT =
            Pattern.compile(
                    "(?i)\\b(?:train_|val_|test_)?(?:loss|acc|accuracy|f1|auc|psnr|score|took"
                            + "|elapsed)\\b");

    static ProgressLine of(String text) {
        if (!mayCount(text)) {
            return new ProgressLine(text, Optional.empty(), Optional.empty());
        }
        var found = parse(text, text);
        var prefix = found.isEmpty() ? LinePrefix.of(text) : LinePrefix.NONE;
        var counted = prefix.length() == 0 ? found : parse(text, prefix.textOf(text));
        return counted.isEmpty()
                ? new ProgressLine(text, Optional.empty(), PercentTexts.parse(prefix.textOf(text)))
                : counted;
    }

    /** Whether a number follows a slash or a word: most lines have none, paths too. */
    private static boolean mayCount(String text) {
        if (DownloadBars.mayMatch(text) || text.contains("max_")) {
            return true;
        }
        for (int at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
            if (isNumberAt(text, at + 1)) {
                return true;
            }
        }
        int of = text.indexOf(" of ");
        return of >= 0 && isNumberAt(text, of + " of ".length());
    }

    private static boolean isNumberAt(String text, int from) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() && Character.isDigit(text.charAt(at));
    }

    /**
     * @param line as it was printed
     * @param text the line, or what follows the prefix of a logger or launcher
     */
    private static ProgressLine parse(String line, String text) {
        if (text.isBlank()) {
            return new ProgressLine(line, Optional.empty(), Optional.empty());
        }
        var bar = ProgressBars.parse(text);
        if (bar.isPresent()) {
            return new ProgressLine(line, TextCounts.epochBefore(bar.get().name()), bar);
        }
        var epoch = TextCounts.epoch(text);
        return new ProgressLine(line, epoch, TextCounts.inner(text, epoch.isPresent()));
    }

    /** Shows the results of an epoch: it is complete, and a following bar belongs to the next. */
    boolean isSummary() {
        return inner.isEmpty() && epoch.isPresent() && RESULT.matcher(text).find();
    }

    boolean isBar() {
        return inner.filter(count -> count.kind() == ProgressCount.Kind.BAR).isPresent();
    }

    boolean isEmpty() {
        return epoch.isEmpty() && inner.isEmpty();
    }

    String excerpt() {
        var whole = text.strip();
        return whole.length() <= MAX_CHARS ? whole : whole.substring(0, MAX_CHARS);
    }
}
