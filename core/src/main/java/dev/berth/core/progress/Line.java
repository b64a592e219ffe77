package dev.berth.core.progress;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What one line says of progress.
 *
 * @param epoch the outer count
 * @param inner the count within
 */
record Line(String text, Optional<Count.Epoch> epoch, Optional<Count> inner) {

    private static final int LONGEST = 300;

    private static final Pattern RESULT =
            Pattern.compile(
                    "(?i)\\b(?:train_|val_|test_)?(?:loss|acc|accuracy|f1|auc|psnr|score|took"
                            + "|elapsed)\\b");

    static Line of(String text) {
        if (text.indexOf('/') < 0 && !text.contains(" of ")) {
            return new Line(text, Optional.empty(), Optional.empty());
        }
        var bar = Bars.read(text);
        if (bar.isPresent()) {
            return new Line(text, Texts.epochBefore(bar.get().name()), bar);
        }
        var epoch = Texts.epoch(text);
        return new Line(text, epoch, Texts.inner(text, epoch.isPresent()));
    }

    /** Tells what came of an epoch: that one is over, and a bar that follows is of the next. */
    boolean isSummary() {
        return inner.isEmpty() && epoch.isPresent() && RESULT.matcher(text).find();
    }

    boolean isBar() {
        return inner.filter(count -> count.kind() == Count.Kind.BAR).isPresent();
    }

    boolean isEmpty() {
        return epoch.isEmpty() && inner.isEmpty();
    }

    String shown() {
        var whole = text.strip();
        return whole.length() <= LONGEST ? whole : whole.substring(0, LONGEST);
    }
}
