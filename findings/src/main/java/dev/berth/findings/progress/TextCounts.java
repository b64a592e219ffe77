package dev.berth.findings.progress;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses counts in text: {@code Epoch [3/10]}, {@code step 100/5000}, {@code iter 10 of 200}. Only
 * a known word counts, near the beginning of its line and without a sentence before it.
 */
final class TextCounts {

    private static final String OF = "\\s{0,4}(?:/|\\bof\\b)\\s{0,4}";
    private static final String NOT_CONTINUED = "(?![\\d/]|\\.\\d|%)";

    private static final Pattern EPOCH =
            Pattern.compile(
                    "(?i)\\bepochs?\\b[ :#=]{0,6}[\\[(]?\\s{0,4}(\\d{1,6})"
                            + OF
                            + "(\\d{1,6})"
                            + NOT_CONTINUED);

    /** {@code Train Epoch: 1 [640/60000 (1%)]}, {@code Epoch: [3][ 10/5005]}. */
    private static final Pattern WITHIN_EPOCH =
            Pattern.compile(
                    "(?i)\\b(?:epoch|train)\\b(?:\\(train\\))?["
                            + " :]{0,6}\\[?\\s{0,4}(\\d{1,6})\\]?\\s{0,4}"
                            + "\\[\\s{0,8}(\\d{1,10})/\\s{0,8}(\\d{1,10})(?![\\d/])");

    /** {@code | epoch 3 | 200/ 2928 batches |}. */
    private static final Pattern BATCHES =
            Pattern.compile(
                    "(?i)\\bepoch\\s{1,6}(\\d{1,6})\\s{0,4}\\|\\s{0,6}(\\d{1,10})/\\s{0,8}(\\d{1,10})"
                        + " batches");

    private static final Pattern STEP =
            Pattern.compile(
                    "(?i)\\b(step|iter|iteration|batch|round|episode|generation)s?\\b[ :#=]{0,6}"
                            + "[\\[(]?\\s{0,8}(\\d{1,10})"
                            + OF
                            + "(\\d{1,10})"
                            + NOT_CONTINUED);

    private static final Pattern BRACKET =
            Pattern.compile("^\\[\\s{0,8}(\\d{1,10})/(\\d{1,10})\\]\\s");

    private static final Pattern EPOCH_OF_BAR =
            Pattern.compile(
                    "(?i)\\bepoch["
                        + " :#=]{0,4}\\[?(\\d{1,6})(?:\\s{0,2}(?:/|of)\\s{0,2}(\\d{1,6}))?\\]?\\W{0,4}$");

    /** Ultralytics prints epoch and memory before its bar. */
    private static final Pattern EPOCH_AND_MEMORY =
            Pattern.compile("^\\s{0,12}(\\d{1,6})/(\\d{1,6})\\s{1,12}\\d{1,4}(?:\\.\\d{1,4})?G\\b");

    private static final Pattern ETA =
            Pattern.compile("(?i)\\beta[:= ]{1,3}((?:\\d{1,5} days?,? )?[\\d:]{1,12}s?)(?![\\w.])");

    /** Words of a sentence that only mentions a count. */
    private static final Pattern PROSE =
            Pattern.compile(
                    "(?i)\\b(?:the|a|at|from|in|for|of|after|before|resum\\w*|restor\\w*|load\\w*"
                            + "|checkpoint|best|until|since|saved|to|use|see|like|than|by|with"
                            + "|every|last|this|we|you|is|was|and|or|if)\\b");

    private static final int MAX_START = 80;

    private TextCounts() {}

    static Optional<ProgressCount.Epoch> epoch(String line) {
        var match = EPOCH.matcher(line);
        if (isCount(line, match)) {
            var epoch = epoch(match.group(1), match.group(2));
            return epoch.number() <= epoch.total().orElse(0)
                    ? Optional.of(epoch)
                    : Optional.empty();
        }
        var within = within(line);
        return within.map(found -> epoch(found.group(1), null));
    }

    static Optional<ProgressCount.Epoch> epochBefore(String name) {
        var match = EPOCH_OF_BAR.matcher(name);
        var found = match.find() ? match : EPOCH_AND_MEMORY.matcher(name);
        return found == match || found.find()
                ? Optional.of(epoch(found.group(1), found.group(2)))
                : Optional.empty();
    }

    private static ProgressCount.Epoch epoch(String number, @Nullable String total) {
        return new ProgressCount.Epoch(
                Long.parseLong(number),
                total == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(total)));
    }

    /**
     * @param isAfterEpoch the line also counts epochs, so it is not a sentence
     */
    static Optional<ProgressCount> inner(String line, boolean isAfterEpoch) {
        var within = within(line);
        if (within.isPresent()) {
            var found = within.get();
            return sane(line, count(found.group(2), found.group(3), "step"));
        }
        var match = STEP.matcher(line);
        if (isAfterEpoch ? match.find() : isCount(line, match)) {
            var unit = match.group(1).toLowerCase(Locale.ROOT);
            var word = unit.equals("iteration") ? "iter" : unit;
            return sane(line, count(match.group(2), match.group(3), word));
        }
        var bracket = BRACKET.matcher(line);
        if (bracket.find() && !isAfterEpoch) {
            var count = count(bracket.group(1), bracket.group(2), "item");
            return sane(
                    line,
                    new ProgressCount(
                            ProgressCount.Kind.BRACKET,
                            "",
                            count.done(),
                            count.total(),
                            count.unit(),
                            count.perSecond(),
                            count.timeLeft(),
                            count.elapsed()));
        }
        return Optional.empty();
    }

    private static ProgressCount count(String done, String total, String unit) {
        return ProgressCount.text("", Long.parseLong(done), Long.parseLong(total), unit);
    }

    private static Optional<ProgressCount> sane(String line, ProgressCount count) {
        return count.isValid() ? Optional.of(count.withTimeLeft(eta(line))) : Optional.empty();
    }

    static Optional<Duration> eta(String line) {
        var match = ETA.matcher(line);
        return match.find() ? PrintedDuration.parse(match.group(1)) : Optional.empty();
    }

    private static Optional<Matcher> within(String line) {
        var match = WITHIN_EPOCH.matcher(line);
        if (match.find() && isNearStart(line, match.start())) {
            return Optional.of(match);
        }
        var batches = BATCHES.matcher(line);
        return batches.find() && isNearStart(line, batches.start())
                ? Optional.of(batches)
                : Optional.empty();
    }

    private static boolean isCount(String line, Matcher match) {
        return match.find() && isNearStart(line, match.start());
    }

    private static boolean isNearStart(String line, int start) {
        return start <= MAX_START && !PROSE.matcher(line.substring(0, start)).find();
    }
}
