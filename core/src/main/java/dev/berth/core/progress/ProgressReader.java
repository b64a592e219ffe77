package dev.berth.core.progress;

import dev.berth.core.log.PlainLines;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Follows what one task prints, piece by piece, and says how far it has come.
 *
 * <p>Where a line counts epochs and a bar runs within, both make one count of the bar's steps: in
 * epoch 3 of 10, at step 45 of 100, 245 of 1000 are done, and the rest takes as long as 755 such
 * steps. Where the number of epochs is not said, the bar is told for itself and its unit names the
 * epoch. Of bars within bars the one that was begun first is told. A count of epochs without a bar
 * is believed as it stands.
 */
public final class ProgressReader {

    private static final int MOST_BARS = 8;
    private static final int LIST_LINES = 3;

    /** Bars of what is done beside the work itself; told only where there is nothing else. */
    private static final Pattern BESIDE =
            Pattern.compile(
                    "(?i)^\\W{0,4}(?:download|load|map\\b|filter|tokeniz|fetch|extract|sanity|valid|eval|testing|generating"
                        + " \\w{1,20}"
                        + " split|preparing|resolving|saving|upload|cach|unpack|convert|group|creating|running"
                        + " tokenizer|(?:train|val):"
                        + " (?:scanning|caching)|\\S{1,80}\\.(?:safetensors|bin"
                        + "|json|model|pt|tar|gz|zip|txt)\\b)");

    private static final Pattern LOSS =
            Pattern.compile(
                    "(?i)^.{0,80}?\\b(?:epoch|step|iter|iteration|batch)\\b.{0,80}?\\bloss\\b"
                            + "|^\\s*\\{'(?:loss|train_loss|eval_loss)'");

    private final Map<String, Drawn> bars = new LinkedHashMap<>();
    private Optional<Line> outer = Optional.empty();
    private Optional<Line> inner = Optional.empty();
    private Optional<Line> alone = Optional.empty();
    private Optional<Line> beside = Optional.empty();
    private boolean isFromZero;

    /** The last epoch's number is the total itself, as Lightning counts: 0 to 9 for ten. */
    private boolean isLastIncluded;

    private boolean hasInner;
    private int listed;
    private long advances;
    private String lastSeen = "";

    /**
     * A bar as it was last drawn.
     *
     * @param missed how often another bar came to its end meanwhile
     */
    private record Drawn(Line line, int missed) {
        Count count() {
            return line.inner().orElseThrow();
        }
    }

    /** Whether a line shows that a program works: a bar, a count, a loss. */
    public static boolean isSignOfLife(String line) {
        return Bars.isEndless(line)
                || (line.contains("loss") && LOSS.matcher(line).find())
                || !Line.of(line).isEmpty();
    }

    /**
     * @param text printed since the last time; a last line that is not ended is looked at only if
     *     it is a bar, and is to be given again with its end
     * @return the latest, of this time or an earlier one
     */
    public Optional<Progress> read(String text) {
        var lines = PlainLines.of(text);
        boolean isEnded = text.endsWith("\n") || text.endsWith("\r");
        for (int i = 0; i < lines.size(); i++) {
            if (isEnded || i < lines.size() - 1 || Bars.isWhole(lines.get(i))) {
                take(Line.of(lines.get(i)));
            }
        }
        return told();
    }

    /** Grows whenever any count changed, also one that is not told. */
    public long advances() {
        return advances;
    }

    private void take(Line line) {
        if (line.isEmpty()) {
            return;
        }
        note(line);
        line.epoch().ifPresent(epoch -> enter(line, epoch));
        line.inner().ifPresent(count -> take(line, count));
    }

    private void note(Line line) {
        var seen = line.epoch() + " " + line.inner().map(count -> count.key() + count.done());
        if (!seen.equals(lastSeen)) {
            lastSeen = seen;
            advances++;
        }
    }

    private void enter(Line line, Count.Epoch epoch) {
        boolean isNew =
                outer.flatMap(Line::epoch).map(before -> !before.equals(epoch)).orElse(true);
        if (isNew || line.isSummary()) {
            inner = Optional.empty();
        }
        isFromZero |= epoch.number() == 0;
        if (isFromZero && epoch.total().isPresent()) {
            isLastIncluded |= line.isBar() || epoch.number() == epoch.total().getAsLong();
        }
        outer = Optional.of(line);
    }

    private void take(Line line, Count count) {
        if (BESIDE.matcher(count.name()).find() || count.unit().equals("B")) {
            beside = Optional.of(line);
            return;
        }
        switch (count.kind()) {
            case BRACKET -> list(line, count);
            case TEXT -> {
                if (outer.isPresent()) {
                    within(line, count);
                } else {
                    alone = Optional.of(line);
                }
            }
            case BAR -> {
                if (outer.isPresent()) {
                    within(line, count);
                }
                draw(line, count);
            }
        }
    }

    /** The first bar of an epoch is its own; one of another size is of something beside it. */
    private void within(Line line, Count count) {
        boolean isSame =
                inner.flatMap(Line::inner).map(Count::key).map(count.key()::equals).orElse(true);
        if (isSame) {
            inner = Optional.of(line);
            hasInner = true;
        }
    }

    private void draw(Line line, Count count) {
        if (count.isFinished()) {
            bars.replaceAll((_, drawn) -> new Drawn(drawn.line(), drawn.missed() + 1));
            bars.values().removeIf(drawn -> drawn.missed() > 1);
        }
        bars.remove(count.key());
        bars.put(count.key(), new Drawn(line, 0));
        if (bars.size() > MOST_BARS) {
            Iterator<String> oldest = bars.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Three lines that count up to one total are a list that is worked off; one is anything. */
    private void list(Line line, Count count) {
        var before = alone.flatMap(Line::inner).filter(last -> last.kind() == Count.Kind.BRACKET);
        boolean goesOn =
                before.map(last -> last.total() == count.total() && last.done() < count.done())
                        .orElse(false);
        listed = goesOn ? listed + 1 : 1;
        if (alone.isEmpty() || before.isPresent()) {
            alone = Optional.of(line);
        }
    }

    // Telling.

    private Optional<Progress> told() {
        if (outer.isPresent()) {
            var both = ofEpochs(outer.get());
            if (both.isPresent()) {
                return both;
            }
        }
        return bar().map(Drawn::line)
                .or(() -> alone.filter(this::isProgress))
                .or(() -> beside.filter(line -> !line.inner().orElseThrow().isFinished()))
                .map(line -> simple(line, line.inner().orElseThrow(), ""));
    }

    private boolean isProgress(Line line) {
        var count = line.inner().orElseThrow();
        return count.total() > 1 && (count.kind() != Count.Kind.BRACKET || listed >= LIST_LINES);
    }

    private Optional<Progress> ofEpochs(Line line) {
        var epoch = line.epoch().orElseThrow();
        if (epoch.total().isEmpty()) {
            return inner.map(
                    within ->
                            simple(
                                    within,
                                    within.inner().orElseThrow(),
                                    " of epoch " + epoch.number()));
        }
        long epochs = epoch.total().getAsLong() + (isFromZero && isLastIncluded ? 1 : 0);
        long before = isFromZero ? epoch.number() : epoch.number() - 1;
        long over = Math.clamp(line.isSummary() ? before + 1 : before, 0, epochs);
        if (inner.isPresent()) {
            return Optional.of(combined(inner.get(), over, epochs));
        }
        // Where bars run within epochs, the bare line announces one that is yet to be done.
        long done = hasInner ? over : Math.clamp(Math.max(over, epoch.number()), 0, epochs);
        return epochs < 2
                ? Optional.empty()
                : Optional.of(
                        new Progress(
                                done,
                                epochs,
                                "epoch",
                                OptionalDouble.empty(),
                                Texts.eta(line.text()),
                                line.shown()));
    }

    private static Progress combined(Line line, long begun, long epochs) {
        var count = line.inner().orElseThrow();
        long total = epochs * count.total();
        long done = Math.min(begun * count.total() + count.done(), total);
        var rate = count.rate();
        Optional<Duration> left =
                rate.isPresent() && rate.getAsDouble() > 0
                        ? Optional.of(
                                Duration.ofMillis(
                                        (long) (1000 * (total - done) / rate.getAsDouble())))
                        : Optional.empty();
        return new Progress(done, total, count.unit(), rate, left, line.shown());
    }

    private static Progress simple(Line line, Count count, String of) {
        return new Progress(
                count.done(),
                count.total(),
                count.unit() + of,
                count.perSecond(),
                count.left(),
                line.shown());
    }

    /** The outermost that is not at its end, else the last. */
    private Optional<Drawn> bar() {
        Optional<Drawn> best = Optional.empty();
        for (var drawn : bars.values()) {
            boolean isOpen = !drawn.count().isFinished();
            boolean isOuter =
                    best.isEmpty()
                            || best.get().count().isFinished()
                            || drawn.count().elapsed().compareTo(best.get().count().elapsed()) >= 0;
            if (isOpen && isOuter) {
                best = Optional.of(drawn);
            } else if (best.isEmpty() || (!isOpen && best.get().count().isFinished())) {
                best = Optional.of(drawn);
            }
        }
        return best;
    }
}
