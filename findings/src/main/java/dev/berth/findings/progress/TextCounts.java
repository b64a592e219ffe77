package dev.berth.findings.progress;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
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

    private static final String OF = "\\s{0,4}(?:/|\\bof\\b)\\s{0,8}";
    private static final String NOT_CONTINUED = "(?![\\d/]|,\\d|\\.\\d|%)";

    /** {@code 51200} or {@code 51,200}. */
    private static final String NUMBER = "(\\d{1,3}(?:,\\d{3}){1,4}|\\d{1,10})";

    private static final Pattern EPOCH =
            Pattern.compile(
                    "(?i)\\bepochs?\\b[ :#=]{0,6}[\\[(]?\\s{0,4}(\\d{1,6})"
                            + OF
                            + "(\\d{1,6})"
                            + NOT_CONTINUED);

    /** {@code 3/70epoch started} of ESPnet, {@code epoch: 412/5000 frames: 26935296}. */
    private static final Pattern OTHER_EPOCH =
            Pattern.compile(
                    "(?:^|INFO: )(\\d{1,6})/(\\d{1,6}) ?epochs?\\b"
                            + "|\\bepoch: (\\d{1,6})/(\\d{1,6}) \\w{1,20}: \\d");

    /** {@code 第 3/10 轮}, {@code 轮次：3/10}. */
    private static final Pattern CHINESE_EPOCH =
            Pattern.compile(
                    "(?:第|轮次?[:：]?)\\s{0,2}(\\d{1,6})\\s{0,2}/\\s{0,2}(\\d{1,6})(?![\\d/]|\\s{0,2}[步批])");

    /** {@code Train Epoch: 1 [640/60000 (1%)]}, {@code Epoch: [3][ 10/5005]}, {@code (10/50)}. */
    private static final Pattern WITHIN_EPOCH =
            Pattern.compile(
                    "(?i)\\b(?:epoch|train)\\b(?:\\(train\\))?["
                            + " :]{0,6}\\[?\\s{0,4}(\\d{1,6})\\]?[\\s,:|-]{0,4}"
                            + "[\\[(]\\s{0,8}(\\d{1,10})/\\s{0,8}(\\d{1,10})(?![\\d/])");

    /** {@code epoch 001: 20 / 39 loss=…} of fairseq, {@code epoch 010 2000 / 8223}. */
    private static final Pattern SPACED =
            Pattern.compile(
                    "(?i)\\bepoch\\s{1,4}(\\d{1,6})(?::\\s{1,12}|\\s{2,12})(\\d{1,10})\\s{0,2}/\\s{0,4}"
                        + "(\\d{1,10})"
                            + NOT_CONTINUED);

    /** {@code [3/25][400/1583] Loss_D: …}, {@code Epoch [3/25][400/1583]}. */
    private static final Pattern TWO_COUNTS =
            Pattern.compile(
                    "(?i)^(?:(?:epoch|train):?\\s{0,3})?\\[\\s{0,6}(\\d{1,6})/\\s{0,6}(\\d{1,6})\\][\\s,:|-]{0,3}[\\[(]\\s{0,8}(\\d{1,10})/\\s{0,8}(\\d{1,10})[\\])"
                        + " ]");

    /**
     * {@code 550 iter, 18 epoch / 100 epochs} and {@code 550 iter, 18 epoch / 3000 iterations} of
     * Chainer: those that are done.
     */
    private static final Pattern CHAINER =
            Pattern.compile(
                    "^\\s{0,12}(\\d{1,10}) iter, (\\d{1,6})(?:\\.\\d{1,4})? epoch /"
                            + " (\\d{1,10}) (epoch|iteration)s");

    /**
     * {@code 25% Completed | 2/8}, {@code Progress: 45 of 100}, {@code Processing file 36 of 48},
     * {@code [index] added 45,120 of 120,441 images}, {@code 2/6 Test #2: …}.
     */
    private static final Pattern COMPLETED =
            Pattern.compile(
                    "(?i)^\\s{0,8}(?:\\[[\\w.-]{1,20}\\]"
                        + " )?(?:\\d{1,3}(?:\\.\\d{1,4})?%\\s(?:completed?"
                        + "|done)|progress|completed|finished|written|(?:add|comput|convert|copi"
                        + "|decod|download|embedd|encod|evaluat|extract|generat|handl|index|load"
                        + "|merg|pars|predict|process|render|sampl|scann|simulat|tokeniz|train"
                        + "|upload|writ)(?:ed|ing))\\b[\\s|:(-]{1,6}(?:(?!rank|attempt|try|retry|gpu|node|worker|device|thread)[a-z]{2,20}[\\s#]{1,3}){0,2}"
                        + "(?:\\.{3}\\s)?[\\[(]?"
                            + NUMBER
                            + "(?: [a-z]{2,20})?"
                            + OF
                            + NUMBER
                            + NOT_CONTINUED);

    /** {@code 2/6 Test #2: …} of CTest. */
    private static final Pattern TEST =
            Pattern.compile("^\\s{0,6}" + NUMBER + "/" + NUMBER + " Test\\s{1,4}#\\d{1,6}: ");

    /**
     * {@code 7 of 13 steps (54%) done}, {@code … in 140.2s. 2 / 4 completed.}, {@code [3/9]: 33%|##
     * |}, or nothing but a large count after the prefix of a logger.
     */
    private static final Pattern COUNT_AND_WORD =
            Pattern.compile(
                    "(?:^|[.\\]|] )"
                            + NUMBER
                            + OF
                            + NUMBER
                            + " (?:[a-z]{1,20} )?(?:\\(\\d{1,3}%\\) )?(?:completed|done|finished"
                            + "|processed)\\b");

    private static final Pattern COUNT_AND_BAR =
            Pattern.compile("^\\[" + NUMBER + "/" + NUMBER + "\\]:?\\s{1,6}\\d{1,3}%\\|");

    private static final Pattern LARGE_COUNT =
            Pattern.compile("^" + NUMBER + "/(\\d{4,10}|\\d{1,3}(?:,\\d{3}){1,4})$");

    /** {@code loss: 0.412311 [51200/60000]} of PyTorch's tutorial. */
    private static final Pattern LOSS_AND_COUNT =
            Pattern.compile(
                    "(?i)^\\s{0,4}loss[:=]\\s{0,3}[\\d.e+-]{1,20}\\s{1,6}\\[\\s{0,8}"
                            + NUMBER
                            + "/\\s{0,8}"
                            + NUMBER
                            + "\\]");

    /** {@code [120/500] validation-auc:0.912}, {@code 200/1319 acc 0.71}. */
    private static final Pattern COUNT_AND_RESULT =
            Pattern.compile(
                    "(?i)^\\s{0,4}\\[?\\s{0,8}"
                            + NUMBER
                            + "/\\s{0,8}"
                            + NUMBER
                            + "\\]?[\\s,:|-]{1,4}(?:\\w{1,30}["
                            + " _-])?(?:loss|acc|accuracy|auc|error|f1|lr|mae|mse|ppl|psnr|reward|rmse|score)[:="
                            + " ]{1,3}(\\d{1,9}(?:\\.\\d{1,9})?)");

    /** {@code [17/73] c++ -c …}: what ninja and other build tools do next. */
    private static final Pattern BUILD =
            Pattern.compile(
                    "^\\[\\s{0,6}"
                            + NUMBER
                            + "/"
                            + NUMBER
                            + "\\] (?:(?:\\S{0,100}/)?(?:c\\+\\+|g\\+\\+|gcc|cc|clang\\+{0,2}|nvcc)"
                            + " -|(?:Building|Linking|Compiling)\\s)");

    /** {@code 'global_step/max_steps': '610/3000'}. */
    private static final Pattern STEP_OF_MAX =
            Pattern.compile(
                    "(?:step|iter)s?/max_(?:step|iter)s?[\"']?[:= ]{1,3}[\"']?"
                            + NUMBER
                            + "/"
                            + NUMBER
                            + NOT_CONTINUED);

    /** {@code {"iter": 1260, "max_iter": 90000, "loss": 0.24}}. */
    private static final Pattern STEP_AND_MAX =
            Pattern.compile(
                    "^(?=.{0,300}loss).{0,200}?[\"'](?:global_)?(?:step|iter|iteration)s?[\"']:"
                            + " ?(\\d{1,10}),.{0,200}?[\"']max_(?:step|iter|iteration)s?[\"']:"
                            + " ?(\\d{1,10})(?![\\d.])");

    /** {@code | epoch 3 | 200/ 2928 batches |}. */
    private static final Pattern BATCHES =
            Pattern.compile(
                    "(?i)\\bepoch\\s{1,6}(\\d{1,6})\\s{0,4}\\|\\s{0,6}(\\d{1,10})/\\s{0,8}(\\d{1,10})"
                        + " batches");

    private static final Pattern STEP =
            Pattern.compile(
                    "(?i)\\b(step|iter|iteration|batch|round|episode|generation|timestep|time_step|update|frame|trial|fold|tile|block|chunk|page|record|row|shard|slice|patch|window|video|clip|scene|view|cycle|minibatch|seed|subject|query|sample|example|image|sequence|document)(?:e?s)?\\b(?:\\(train\\)|"
                        + " seen| processed)?[ :#=]{0,6}[\\[(]?\\s{0,8}"
                            + NUMBER
                            + OF
                            + NUMBER
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
            Pattern.compile(
                    "(?i)\\b(?:eta|time left|time remaining|remaining(?:[ _]time)?|time to"
                        + " finish)[\"']?[:= ]{1,3}[\"']?((?:\\d{1,5} ?d(?:ays?)?,?"
                        + " ?)?(?:\\d{1,3}(?::\\d{1,2}){1,2}(?:\\.\\d{1,9})?|(?:\\d{1,6}(?:\\.\\d{1,6})?"
                        + " ?(?:hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)\\b"
                        + " ?){1,3}|\\d{1,8}s))(?![\\w:])");

    /** Words of a sentence that only mentions a count. */
    private static final Pattern PROSE =
            Pattern.compile(
                    "(?i)\\b(?:the|a|at|from|in|for|of|after|before|resum\\w*|restor\\w*|load\\w*"
                            + "|checkpoint|best|until|since|saved|to|use|see|like|than|by|with"
                            + "|every|last|this|we|you|is|was|and|or|if)\\b");

    private static final int MAX_START = 80;

    /** An accuracy is printed with at least two digits. */
    private static final double MAX_ROUNDING = 0.01;

    /** A twentieth of the total. */
    private static final int MAX_OVERSHOOT = 20;

    private TextCounts() {}

    static Optional<ProgressCount.Epoch> epoch(String line) {
        var match = EPOCH.matcher(line);
        if (isCount(line, match)) {
            var epoch = epoch(match.group(1), match.group(2));
            return epoch.number() <= epoch.total().orElse(0)
                    ? Optional.of(epoch)
                    : Optional.empty();
        }
        var other = OTHER_EPOCH.matcher(line);
        if (other.find()) {
            boolean isFirst = other.group(1) != null;
            return Optional.of(
                    epoch(other.group(isFirst ? 1 : 3), isFirst ? other.group(2) : other.group(4)));
        }
        var chinese = CHINESE_EPOCH.matcher(line);
        if (isCount(line, chinese)) {
            return Optional.of(epoch(chinese.group(1), chinese.group(2)));
        }
        var two = TWO_COUNTS.matcher(line);
        if (two.find()) {
            return Optional.of(epoch(two.group(1), two.group(2)));
        }
        var within = within(line);
        return within.map(found -> epoch(found.group(1), null));
    }

    /** Epochs that are done, not the number of the current one. */
    private static Optional<ProgressCount> doneEpochs(String line) {
        var match = CHAINER.matcher(line);
        if (!match.find()) {
            return Optional.empty();
        }
        return Optional.of(
                match.group(4).equals("epoch")
                        ? count(match.group(2), match.group(3), "epoch")
                        : count(match.group(1), match.group(3), "iter"));
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
        var two = TWO_COUNTS.matcher(line);
        if (two.find()) {
            return sane(line, count(two.group(3), two.group(4), "step"));
        }
        var within = within(line);
        if (within.isPresent()) {
            var found = within.get();
            return sane(line, count(found.group(2), found.group(3), "step"));
        }
        var done = isAfterEpoch ? Optional.<ProgressCount>empty() : doneEpochs(line);
        if (done.isPresent()) {
            return sane(line, done.get());
        }
        var match = STEP.matcher(line);
        if (isAfterEpoch ? match.find() : isCount(line, match)) {
            return sane(line, count(match.group(2), match.group(3), unit(match.group(1))));
        }
        var completed = COMPLETED.matcher(line);
        if (completed.find() && !isAfterEpoch) {
            return sane(line, count(completed.group(1), completed.group(2), "item"));
        }
        var result = COUNT_AND_RESULT.matcher(line);
        if (result.find() && !isAfterEpoch && !isRatio(result)) {
            return sane(line, count(result.group(1), result.group(2), "item"));
        }
        for (var pattern :
                List.of(LOSS_AND_COUNT, BUILD, TEST, COUNT_AND_WORD, COUNT_AND_BAR, LARGE_COUNT)) {
            var found = pattern.matcher(line);
            if (found.find()) {
                return sane(line, count(found.group(1), found.group(2), "item"));
            }
        }
        for (var pattern : List.of(STEP_OF_MAX, STEP_AND_MAX)) {
            var found = pattern.matcher(line);
            if (found.find()) {
                return sane(line, count(found.group(1), found.group(2), "step"));
            }
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

    private static String unit(String word) {
        var unit = word.toLowerCase(Locale.ROOT);
        return switch (unit) {
            case "iteration" -> "iter";
            case "timestep", "time_step" -> "step";
            default -> unit;
        };
    }

    /** {@code 936/1319 acc 0.71} counts the correct answers. */
    private static boolean isRatio(Matcher result) {
        double ratio = (double) number(result.group(1)) / number(result.group(2));
        double value = Double.parseDouble(result.group(3));
        return Math.abs(value - ratio) < MAX_ROUNDING
                || Math.abs(value / 100 - ratio) < MAX_ROUNDING;
    }

    private static ProgressCount count(String done, String total, String unit) {
        long of = number(total);
        // Some programs work in blocks and pass the printed total slightly.
        long at = number(done);
        boolean isPassed = at > of && at - of <= of / MAX_OVERSHOOT;
        return ProgressCount.text("", isPassed ? of : at, of, unit);
    }

    private static long number(String digits) {
        return Long.parseLong(digits.replace(",", ""));
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
        for (var pattern : List.of(BATCHES, SPACED)) {
            var found = pattern.matcher(line);
            if (found.find() && isNearStart(line, found.start())) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    private static boolean isCount(String line, Matcher match) {
        return match.find() && isNearStart(line, match.start());
    }

    private static boolean isNearStart(String line, int start) {
        return start <= MAX_START && !isAfterProse(line, start);
    }

    static boolean isAfterProse(String line, int start) {
        return PROSE.matcher(line.substring(0, start)).find();
    }
}
