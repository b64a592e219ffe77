package dev.berth.findings.progress;

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
        if (text.indexOf('/') < 0 && !text.contains(" of ")) {
            return new ProgressLine(text, Optional.empty(), Optional.empty());
        }
        var bar = ProgressBars.parse(text);
        if (bar.isPresent()) {
            return new ProgressLine(text, TextCounts.epochBefore(bar.get().name()), bar);
        }
        var epoch = TextCounts.epoch(text);
        return new ProgressLine(text, epoch, TextCounts.inner(text, epoch.isPresent()));
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
