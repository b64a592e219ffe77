package dev.berth.findings.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Parses lines that show a percentage or count a part of the work: downloads, builds, Chainer,
 * Spark. They are reported only if nothing else is counted.
 */
final class DownloadBars {

    static final String PERCENT = "%";

    /** These count a part of the work: a download, a process, a stage. */
    static final Set<String> UNITS_OF_PARTS =
            Set.of("B", PERCENT, "Git object", "Nextflow task", "Spark task");

    private static final String SIZE = "[\\d.]{1,8}[kKMGT]?";

    /** {@code total [####......] 40.20%} of Chainer, {@code [#### ] | 40% Completed} of Dask. */
    private static final Pattern BAR =
            Pattern.compile(
                    "^\\s{0,12}(?:[\\w ]{1,30}:? )?\\[[#=*>."
                            + " -]{5,200}\\][\\s|]{0,4}(\\d{1,3})(?:\\.\\d{1,4})?%");

    /** {@code Training 41%|████▎ | ETA: 0:05:12} of Julia's ProgressMeter. */
    private static final Pattern JULIA =
            Pattern.compile("(\\d{1,3})%\\|[^|]{5,300}+\\|\\s{1,4}(?:ETA|Time): ");

    /** {@code 9.3% proc'd: 204 (802 Gflop/s) errors: 0} of gpu-burn. */
    private static final Pattern GPU_BURN =
            Pattern.compile("^\\s{0,4}(\\d{1,3})(?:\\.\\d{1,4})?%\\s{1,4}proc'd: \\d");

    /** {@code [ 42%] Building CXX object …} of CMake. */
    private static final Pattern CMAKE =
            Pattern.compile("^\\[\\s{0,2}(\\d{1,3})%\\] (?:Building|Linking|Generating|Built) ");

    /** {@code wiki.tar.gz 45%[=====> ] 450.00M 12.1MB/s eta 41s}. */
    private static final Pattern WGET =
            Pattern.compile(
                    "(?:^|\\s)(\\d{1,3})%\\s?\\[[=>+ ]{5,200}\\]\\s{1,8}[\\d.,]{1,16}[kKMGT]?\\s");

    /** {@code Working... ━━━━╸━━━━ 36% 0:01:12} of rich. */
    private static final Pattern RICH =
            Pattern.compile("(?<![━╸╺─])[━╸╺─]{5,200}+\\s{1,4}(\\d{1,3})%(?:\\s|$)");

    /** {@code tests/test_a.py::test_b PASSED [ 33%]} of pytest. */
    private static final Pattern PYTEST =
            Pattern.compile(
                    "^\\S{1,200}\\.py(?:::\\S{1,200})?"
                            + " (?:[.sxXFE]{1,100}|PASSED|FAILED|SKIPPED|XFAIL"
                            + "|ERROR)\\s{1,200}\\[\\s{0,2}(\\d{1,3})%\\]$");

    /** {@code 1,288,490,188 60% 98.12MB/s 0:00:08}; the time is that left. */
    private static final Pattern RSYNC =
            Pattern.compile(
                    "^\\s{1,20}[\\d,.]{1,24}[KMGT]?\\s{1,4}(\\d{1,3})%\\s{1,8}[\\d.]{1,10}[kKMGT]?B/s\\s{1,8}"
                        + "(\\d{1,4}:\\d\\d:\\d\\d)");

    /** Of the three times of curl the last is that left. */
    private static final Pattern CURL =
            Pattern.compile(
                    "^\\s{0,2}(\\d{1,3})(?:\\s{1,6}"
                            + SIZE
                            + "){7}(?:\\s{1,3}[\\d:-]{7,9}){2}\\s{1,3}([\\d:-]{7,9})\\s");

    /** {@code ━━━━╸ 398.1/670.2 MB 11.0 MB/s eta 0:00:25} of pip. */
    private static final Pattern PIP =
            Pattern.compile(
                    "(?<![━╸╺─])[━╸╺─]{5,200}+\\s{1,200}+(\\d{1,8}(?:\\.\\d{1,3})?)/(\\d{1,8}(?:\\.\\d{1,3})?)"
                        + " [kMGT]?B\\b");

    /** {@code Receiving objects: 42% (374/890), 120.21 MiB | 10.42 MiB/s} of Git. */
    private static final Pattern GIT =
            Pattern.compile(
                    "^\\s{0,4}(?:remote:"
                        + " )?(?:Counting|Compressing|Filtering|Receiving|Resolving|Unpacking|Updating|Writing)"
                        + " (?:objects|deltas|files|content):\\s{1,4}\\d{1,3}%"
                        + " \\((\\d{1,10})/(\\d{1,10})\\)");

    /** {@code [77/314080] process > align (618) [ 25%] 620 of 2414} of Nextflow. */
    private static final Pattern NEXTFLOW =
            Pattern.compile(
                    "^\\[[\\da-f]{2}/[\\da-f]{6}\\] .{1,200}?\\[\\s{0,2}\\d{1,3}%\\] (\\d{1,10}) of"
                            + " (\\d{1,10})");

    /** {@code [Stage 3:=====> (31 + 8) / 100]} of Spark: done, running and all tasks. */
    private static final Pattern SPARK =
            Pattern.compile(
                    "^\\[Stage \\d{1,6}:[=> ]{1,200}\\((\\d{1,9}) \\+ \\d{1,9}\\) / (\\d{1,9})\\]");

    /** pip counts in one unit, so tenths keep the ratio. */
    private static final int TENTHS = 10;

    private DownloadBars() {}

    /** Most lines show no percentage, and a search for characters is faster than a pattern. */
    static boolean mayMatch(String line) {
        return line.indexOf('%') >= 0
                || line.indexOf('━') >= 0
                || line.contains(" 0:")
                || line.contains("[Stage ")
                || line.contains("--:--");
    }

    static Optional<ProgressCount> parse(String line) {
        if (!mayMatch(line)) {
            return Optional.empty();
        }
        return percent(BAR, line)
                .or(() -> percent(JULIA, line))
                .or(() -> percent(GPU_BURN, line))
                .or(() -> percent(CMAKE, line))
                .or(() -> percent(WGET, line))
                .or(() -> percent(RICH, line))
                .or(() -> percent(PYTEST, line))
                .or(() -> percent(RSYNC, line))
                .or(() -> percent(CURL, line))
                .or(() -> pip(line))
                .or(() -> part(GIT, line, "Git object"))
                .or(() -> part(NEXTFLOW, line, "Nextflow task"))
                .or(() -> part(SPARK, line, "Spark task"))
                .filter(ProgressCount::isValid);
    }

    private static Optional<ProgressCount> percent(Pattern pattern, String line) {
        var match = pattern.matcher(line);
        if (!match.find()) {
            return Optional.empty();
        }
        var left =
                match.groupCount() > 1
                        ? PrintedDuration.parse(match.group(2))
                        : TextCounts.eta(line);
        return Optional.of(count(Long.parseLong(match.group(1)), 100, PERCENT, left));
    }

    private static Optional<ProgressCount> pip(String line) {
        var match = PIP.matcher(line);
        return match.find()
                ? Optional.of(
                        count(
                                tenths(match.group(1)),
                                tenths(match.group(2)),
                                "B",
                                TextCounts.eta(line)))
                : Optional.empty();
    }

    private static Optional<ProgressCount> part(Pattern pattern, String line, String unit) {
        var match = pattern.matcher(line);
        return match.find()
                ? Optional.of(
                        count(
                                Long.parseLong(match.group(1)),
                                Long.parseLong(match.group(2)),
                                unit,
                                Optional.empty()))
                : Optional.empty();
    }

    private static long tenths(String number) {
        return Math.round(Double.parseDouble(number) * TENTHS);
    }

    private static ProgressCount count(
            long done, long total, String unit, Optional<Duration> left) {
        return new ProgressCount(
                ProgressCount.Kind.BAR,
                "",
                done,
                total,
                unit,
                OptionalDouble.empty(),
                left,
                Duration.ZERO);
    }
}
