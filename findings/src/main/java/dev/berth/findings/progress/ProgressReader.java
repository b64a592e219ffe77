package dev.berth.findings.progress;

import dev.berth.findings.log.LinePrefix;
import dev.berth.findings.log.PlainLines;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Reads the output of one task piece by piece and derives its progress.
 *
 * <p>If a line counts epochs and a bar counts steps inside them, both are combined: in epoch 3 of
 * 10, at step 45 of 100, 245 of 1000 steps are done, and the time left is that of 755 steps. If the
 * number of epochs is unknown, the bar is reported alone and its unit names the epoch. Of nested
 * bars the one that began first is reported. A count of epochs without a bar is reported as
 * printed.
 */
public final class ProgressReader {

    private static final int MAX_BARS = 8;
    private static final int MIN_LIST_LINES = 3;

    /** Bars of secondary work like downloads; reported only if there is nothing else. */
    private static final Pattern SECONDARY =
            Pattern.compile(
                    "(?i)^\\W{0,4}(?:download|load|map\\b|filter|tokeniz|fetch|extract|sanity|valid|eval|testing|generating"
                        + " \\w{1,20}"
                        + " split|preparing|resolving|saving|upload|cach|unpack|convert|group|creating|running"
                        + " tokenizer|(?:train|val):"
                        + " (?:scanning|caching)|\\S{1,80}\\.(?:safetensors|bin"
                        + "|json|model|pt|tar|gz|zip|txt)\\b)");

    private static final Pattern LOSS =
            Pattern.compile(
                    "(?i)^.{0,80}?\\b(?:epoch|step|iter|iteration|batch)\\b.{0,80}?(?:\\b|_)loss\\b"
                            + "|^\\s*\\{'(?:loss|train_loss|eval_loss)'");

    /** A count without a total: {@code Epoch 998}, {@code [120] train-rmse:0.41}. */
    private static final Pattern COUNT =
            Pattern.compile(
                    "(?i)^(?!.{0,300}?(?:fail|error(?!:[\\d.])|abort|kill|\\bnan\\b|exceed|stop))(?:\\W{0,8}(?:epoch|step|iter"
                        + "|iteration|trial|round|episode|generation|total_timesteps)s?\\b[\\s:=\\[|]{1,30}"
                        + "\\d{1,10}(?:[\\s,\\]|]|$)|\\[\\d{1,7}\\]\\W{1,4}\\d{0,3}[a-z_]{2,20}-\\w{2,20}:\\d|loss"
                        + " = [\\d.]{1,20}, step = \\d)");

    private final SeparateEta eta = new SeparateEta();
    private final Map<String, Drawn> bars = new LinkedHashMap<>();
    private Optional<ProgressLine> outer = Optional.empty();
    private Optional<ProgressLine> inner = Optional.empty();
    private Optional<ProgressLine> single = Optional.empty();
    private Optional<ProgressLine> secondary = Optional.empty();
    private boolean isFromZero;

    /** The printed total is the number of the last epoch, as in Lightning: 0 to 9 for ten. */
    private boolean isLastIncluded;

    private boolean hasInner;
    private int listed;
    private long changeCount;
    private String lastCounts = "";

    /**
     * A bar as it was last drawn.
     *
     * @param missed how many other bars finished since then
     */
    private record Drawn(ProgressLine line, int missed) {
        ProgressCount count() {
            return line.inner().orElseThrow();
        }
    }

    /** Whether a line shows that the program is working: a bar, a count, a loss. */
    public static boolean showsActivity(String line) {
        return ProgressBars.hasNoTotal(line)
                || (line.contains("loss") && LOSS.matcher(line).find())
                || COUNT.matcher(LinePrefix.of(line).textOf(line)).find()
                || !ProgressLine.of(line).isEmpty();
    }

    /**
     * @param text printed since the last call; an unfinished last line is read only if it is a bar,
     *     and must be passed again when it is complete
     * @return the latest progress, of this call or an earlier one
     */
    public Optional<Progress> read(String text) {
        var lines = PlainLines.of(text);
        boolean isComplete = text.endsWith("\n") || text.endsWith("\r");
        for (int i = 0; i < lines.size(); i++) {
            if (isComplete || i < lines.size() - 1 || ProgressBars.isComplete(lines.get(i))) {
                take(ProgressLine.of(lines.get(i)));
            }
        }
        return progress().map(eta::addTo);
    }

    /** Increases whenever any count changes, also one that is not reported. */
    public long changeCount() {
        return changeCount;
    }

    private void take(ProgressLine line) {
        if (line.isEmpty()) {
            eta.read(line.text());
            return;
        }
        eta.counted();
        recordChange(line);
        line.epoch().ifPresent(epoch -> enter(line, epoch));
        line.inner().ifPresent(count -> take(line, count));
    }

    private void recordChange(ProgressLine line) {
        var counts = line.epoch() + " " + line.inner().map(count -> count.key() + count.done());
        if (!counts.equals(lastCounts)) {
            lastCounts = counts;
            changeCount++;
        }
    }

    private void enter(ProgressLine line, ProgressCount.Epoch epoch) {
        boolean isNew =
                outer.flatMap(ProgressLine::epoch)
                        .map(before -> !before.equals(epoch))
                        .orElse(true);
        if (isNew || line.isSummary()) {
            inner = Optional.empty();
        }
        isFromZero |= epoch.number() == 0;
        if (isFromZero && epoch.total().isPresent()) {
            isLastIncluded |= line.isBar() || epoch.number() == epoch.total().getAsLong();
        }
        outer = Optional.of(line);
    }

    private void take(ProgressLine line, ProgressCount count) {
        if (SECONDARY.matcher(count.name()).find()
                || DownloadBars.UNITS_OF_PARTS.contains(count.unit())) {
            secondary = Optional.of(line);
            return;
        }
        switch (count.kind()) {
            case BRACKET -> list(line, count);
            case TEXT -> {
                if (outer.isPresent()) {
                    within(line, count);
                } else {
                    single = Optional.of(line);
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

    /** The first bar in an epoch counts its steps; one with another total is secondary. */
    private void within(ProgressLine line, ProgressCount count) {
        boolean isSame =
                inner.flatMap(ProgressLine::inner)
                        .map(ProgressCount::key)
                        .map(count.key()::equals)
                        .orElse(true);
        if (isSame) {
            inner = Optional.of(line);
            hasInner = true;
        }
    }

    private void draw(ProgressLine line, ProgressCount count) {
        if (count.isFinished()) {
            bars.replaceAll((_, drawn) -> new Drawn(drawn.line(), drawn.missed() + 1));
            bars.values().removeIf(drawn -> drawn.missed() > 1);
        }
        bars.remove(count.key());
        bars.put(count.key(), new Drawn(line, 0));
        if (bars.size() > MAX_BARS) {
            Iterator<String> oldest = bars.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /**
     * Several increasing counts to one total are a list in progress; a single one may be anything.
     */
    private void list(ProgressLine line, ProgressCount count) {
        var before =
                single.flatMap(ProgressLine::inner)
                        .filter(last -> last.kind() == ProgressCount.Kind.BRACKET);
        boolean isNext =
                before.map(last -> last.total() == count.total() && last.done() < count.done())
                        .orElse(false);
        listed = isNext ? listed + 1 : 1;
        if (single.isEmpty() || before.isPresent()) {
            single = Optional.of(line);
        }
    }

    private Optional<Progress> progress() {
        if (outer.isPresent()) {
            var both = ofEpochs(outer.get());
            if (both.isPresent()) {
                return both;
            }
        }
        return bar().map(Drawn::line)
                .or(() -> single.filter(this::isProgress))
                .or(() -> secondary.filter(line -> !line.inner().orElseThrow().isFinished()))
                .map(line -> simple(line, line.inner().orElseThrow(), ""));
    }

    private boolean isProgress(ProgressLine line) {
        var count = line.inner().orElseThrow();
        return count.total() > 1
                && (count.kind() != ProgressCount.Kind.BRACKET || listed >= MIN_LIST_LINES);
    }

    private Optional<Progress> ofEpochs(ProgressLine line) {
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
        long finished = Math.clamp(line.isSummary() ? before + 1 : before, 0, epochs);
        if (inner.isPresent()) {
            return Optional.of(combined(inner.get(), finished, epochs));
        }
        // If bars run inside epochs, a line without a bar announces an epoch that is not done yet.
        long done = hasInner ? finished : Math.clamp(Math.max(finished, epoch.number()), 0, epochs);
        return epochs < 2
                ? Optional.empty()
                : Optional.of(
                        new Progress(
                                done,
                                epochs,
                                "epoch",
                                OptionalDouble.empty(),
                                TextCounts.eta(line.text()),
                                line.excerpt()));
    }

    private static Progress combined(ProgressLine line, long finishedEpochs, long epochs) {
        var count = line.inner().orElseThrow();
        long total = epochs * count.total();
        long done = Math.min(finishedEpochs * count.total() + count.done(), total);
        var rate = count.rate();
        Optional<Duration> left =
                rate.isPresent() && rate.getAsDouble() > 0
                        ? Optional.of(
                                Duration.ofMillis(
                                        (long) (1000 * (total - done) / rate.getAsDouble())))
                        : Optional.empty();
        return new Progress(done, total, count.unit(), rate, left, line.excerpt());
    }

    private static Progress simple(ProgressLine line, ProgressCount count, String of) {
        return new Progress(
                count.done(),
                count.total(),
                count.unit() + of,
                count.perSecond(),
                count.timeLeft(),
                line.excerpt());
    }

    /** The outermost unfinished bar, otherwise the last one. */
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
