package dev.berth.findings.progress;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Parses progress bars of tqdm (also Lightning and Hugging Face Trainer), Keras and rich. */
final class ProgressBars {

    private static final String NUMBER =
            "(\\d{1,3}(?:,\\d{3}){1,4}|\\d{1,10}(?:\\.\\d{1,4})?[kMGTP]?)";

    /** {@code Epoch 3: 40%|████ | 40/100 [00:12<00:18, 3.21it/s, v_num=0]}. */
    private static final Pattern TQDM =
            Pattern.compile(
                    "\\d{1,3}%(?:\\|[^|]{0,300}+| Completed )\\|\\s{0,10}"
                            + NUMBER
                            + "/"
                            + NUMBER
                            + "[a-z]{0,6}\\s{0,3}\\[([\\d:]{1,12})<([^,\\]]{1,20})(?:,\\s{0,10}([^\\]]{0,300}+))?");

    private static final Pattern PER_SECOND =
            Pattern.compile("^(\\d{1,12}(?:\\.\\d{1,6})?)([kMG]?) ?([^\\s,/\\d]{0,20})/s");
    private static final Pattern SECONDS_EACH =
            Pattern.compile("^(\\d{1,9}(?:\\.\\d{1,6})?)s/([^\\s,]{1,20})");
    private static final Pattern UNKNOWN_RATE = Pattern.compile("^\\? ?([^\\s,/]{1,20})/s");

    /** {@code 45/100 [=====>........] - ETA: 12s - loss: 0.3}. */
    private static final Pattern KERAS_2 =
            Pattern.compile(
                    "^\\s{0,12}(\\d{1,10})/(\\d{1,10}) \\[[=>.]{5,60}\\](?: - (?:ETA:"
                        + " ([\\d:]{1,12}s?)|\\d{1,9}s(?: (\\d{1,9})(us|ms|s)/(step|sample))?))?");

    /** {@code 45/100 ━━━━━━━━━━━━━━━━━━━━ 12s 220ms/step - loss: 0.3}. */
    private static final Pattern KERAS_3 =
            Pattern.compile(
                    "^\\s{0,12}(\\d{1,10})/(\\d{1,10}) [━╸╺─]{5,60} ([\\d:]{1,12}s?)"
                            + " (\\d{1,9})(us|ms|s)/(step)");

    /** {@code Epoch 3/9 ━━━━━━━━━━━━ 40/100 0:00:12 • 0:00:18 3.21it/s}. */
    private static final Pattern RICH =
            Pattern.compile(
                    "(?<![━╸╺─])[━╸╺─]{5,200}+ {1,3}(\\d{1,10})/(\\d{1,10})"
                            + " {1,3}(\\d{1,3}:\\d\\d:\\d\\d) • ([-\\d:]{4,12})(?:"
                            + " (\\d{1,9}(?:\\.\\d{1,4})?)it/s)?");

    /** {@code [>>>>> ] 450/1000, 31.2 task/s, elapsed: 14s, ETA: 18s} of MMCV. */
    private static final Pattern MMCV =
            Pattern.compile(
                    "^\\[[> ]{5,100}\\] (\\d{1,10})/(\\d{1,10}), (\\d{1,9}(?:\\.\\d{1,4})?)"
                            + " (\\w{1,12})/s, elapsed: (\\d{1,9}s), ETA:\\s{1,8}(\\d{1,9}s)");

    /** {@code 450it [01:23, 5.42it/s]}: a count without a known total. */
    private static final Pattern ENDLESS =
            Pattern.compile(
                    "\\d{1,12}(?:\\.\\d{1,4})?[kMG]? ?[a-z]{1,20} \\[[\\d:]{4,12},"
                            + " {1,10}[\\d.?]{1,12}");

    private ProgressBars() {}

    static Optional<ProgressCount> parse(String line) {
        // Most lines are not bars, and a character search is faster than a pattern.
        var found =
                line.contains("%|") || line.contains("% Completed |")
                        ? tqdm(line)
                        : line.indexOf('━') >= 0
                                ? keras3(line).or(() -> rich(line))
                                : keras2(line).or(() -> mmcv(line));
        return found.filter(ProgressCount::isValid).or(() -> DownloadBars.parse(line));
    }

    /** A complete tqdm bar, even if no newline follows. */
    static boolean isComplete(String line) {
        return line.endsWith("]") && TQDM.matcher(line).find();
    }

    static boolean hasNoTotal(String line) {
        return ENDLESS.matcher(line).find();
    }

    private static Optional<ProgressCount> tqdm(String line) {
        var match = TQDM.matcher(line);
        if (!match.find()) {
            return Optional.empty();
        }
        var rate = match.group(5) == null ? "" : match.group(5).strip();
        return Optional.of(
                new ProgressCount(
                        ProgressCount.Kind.BAR,
                        name(line.substring(0, match.start())),
                        amount(match.group(1)),
                        amount(match.group(2)),
                        unit(rate),
                        perSecond(rate),
                        PrintedDuration.parse(match.group(4).strip()),
                        PrintedDuration.parse(match.group(3)).orElse(Duration.ZERO)));
    }

    private static String name(String before) {
        var name = before.strip();
        return name.endsWith(":") ? name.substring(0, name.length() - 1).strip() : name;
    }

    private static OptionalDouble perSecond(String rate) {
        var perSecond = PER_SECOND.matcher(rate);
        if (perSecond.find()) {
            return OptionalDouble.of(
                    Double.parseDouble(perSecond.group(1)) * factor(perSecond.group(2)));
        }
        var secondsEach = SECONDS_EACH.matcher(rate);
        if (secondsEach.find() && Double.parseDouble(secondsEach.group(1)) > 0) {
            return OptionalDouble.of(1 / Double.parseDouble(secondsEach.group(1)));
        }
        return OptionalDouble.empty();
    }

    private static String unit(String rate) {
        return Stream.of(
                        UNKNOWN_RATE.matcher(rate).results().map(match -> match.group(1)),
                        SECONDS_EACH.matcher(rate).results().map(match -> match.group(2)),
                        PER_SECOND.matcher(rate).results().map(match -> match.group(3)))
                .flatMap(Function.identity())
                .filter(unit -> !unit.isEmpty())
                .findFirst()
                .orElse("it");
    }

    /** tqdm abbreviates large numbers, so a finished bar may show slightly less than the total. */
    private static long amount(String number) {
        char last = number.charAt(number.length() - 1);
        return Character.isDigit(last)
                ? (long) Double.parseDouble(number.replace(",", ""))
                : Math.round(
                        Double.parseDouble(number.substring(0, number.length() - 1))
                                * factor(String.valueOf(last)));
    }

    private static double factor(String suffix) {
        return switch (suffix) {
            case "k" -> 1e3;
            case "M" -> 1e6;
            case "G" -> 1e9;
            case "T" -> 1e12;
            case "P" -> 1e15;
            default -> 1;
        };
    }

    private static Optional<ProgressCount> keras2(String line) {
        var match = KERAS_2.matcher(line);
        if (!match.find()) {
            return Optional.empty();
        }
        return Optional.of(
                keras(
                        match,
                        Optional.ofNullable(match.group(3)).flatMap(PrintedDuration::parse),
                        ratePerSecond(match.group(4), match.group(5))));
    }

    private static Optional<ProgressCount> keras3(String line) {
        var match = KERAS_3.matcher(line);
        if (!match.find()) {
            return Optional.empty();
        }
        // On a finished bar this is the elapsed time, not the time left.
        boolean isFinished = match.group(1).equals(match.group(2));
        return Optional.of(
                keras(
                        match,
                        isFinished ? Optional.empty() : PrintedDuration.parse(match.group(3)),
                        ratePerSecond(match.group(4), match.group(5))));
    }

    private static ProgressCount keras(
            MatchResult match, Optional<Duration> left, OptionalDouble perSecond) {
        return new ProgressCount(
                ProgressCount.Kind.BAR,
                "",
                Long.parseLong(match.group(1)),
                Long.parseLong(match.group(2)),
                "step",
                perSecond,
                left,
                Duration.ZERO);
    }

    private static OptionalDouble ratePerSecond(@Nullable String number, @Nullable String unit) {
        if (number == null || unit == null || Long.parseLong(number) == 0) {
            return OptionalDouble.empty();
        }
        double perUnit =
                switch (unit) {
                    case "us" -> 1e6;
                    case "ms" -> 1e3;
                    default -> 1;
                };
        return OptionalDouble.of(perUnit / Long.parseLong(number));
    }

    private static Optional<ProgressCount> mmcv(String line) {
        var match = MMCV.matcher(line);
        return match.find()
                ? Optional.of(
                        new ProgressCount(
                                ProgressCount.Kind.BAR,
                                "",
                                Long.parseLong(match.group(1)),
                                Long.parseLong(match.group(2)),
                                match.group(4),
                                OptionalDouble.of(Double.parseDouble(match.group(3))),
                                PrintedDuration.parse(match.group(6)),
                                PrintedDuration.parse(match.group(5)).orElse(Duration.ZERO)))
                : Optional.empty();
    }

    private static Optional<ProgressCount> rich(String line) {
        var match = RICH.matcher(line);
        if (!match.find()) {
            return Optional.empty();
        }
        return Optional.of(
                new ProgressCount(
                        ProgressCount.Kind.BAR,
                        name(line.substring(0, match.start())),
                        Long.parseLong(match.group(1)),
                        Long.parseLong(match.group(2)),
                        "it",
                        match.group(5) == null
                                ? OptionalDouble.empty()
                                : OptionalDouble.of(Double.parseDouble(match.group(5))),
                        PrintedDuration.parse(match.group(4)),
                        PrintedDuration.parse(match.group(3)).orElse(Duration.ZERO)));
    }
}
