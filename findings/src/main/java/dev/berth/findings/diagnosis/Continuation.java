package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;
import dev.berth.findings.progress.ProgressReader;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Whether the program continued after a line: then the error there is not what ended it. */
final class Continuation {

    private static final Pattern RECOVERY =
            Pattern.compile(
                    "(?i)^\\[ {1,8}OK \\]|^=+ restart |\\b(?:retry(?! will\\b)|retrying|trying"
                        + " again|falling back|fallback|skipping|skipped|continuing|continue"
                        + " without|sleeping|backing off|next attempt|recover(?:ed|ing)?|reducing"
                        + " batch|halving|decreasing batch|proceeding|instead(?! of"
                        + " \\d)|retried|restor(?:e|ed|ing)|resum(?:e|ed|ing)|restarting|moving"
                        + " on|trying (?!to\\b)\\S+|as replacement|using"
                        + " .{0,30}?replacement|(?<!exception )ignored|ignoring|handled|as"
                        + " expected)\\b");

    private static final Pattern COMPLETION =
            Pattern.compile(
                    "(?i)(?<!\\bnot"
                        + " )\\b(?:training|evaluation|testing|run|job|everything)\\b(?:(?!\\bnot\\b).){0,40}?"
                        + "\\b(?:complete|completed|finished|done|successful|successfully)\\b(?!"
                        + " with (?:exit )?(?:status |code"
                        + " )?[1-9])|\\b(?:finished|completed|ended|exited)"
                        + " successfully\\b|\\b(?:results|predictions|report|transcript)"
                        + " (?:saved|written) to\\b|\\b(?:saved|wrote)"
                        + " (?:results|predictions|report|transcript) to\\b|\\btrial \\d{1,6}"
                        + " (?:finished|pruned)\\b|\\bbuild succeeded\\b|(?<![\\d.])0"
                        + " failed\\b|\\bexit (?:status|code)[ :=]{1,3}0$|^(?:graceful exit|exit"
                        + " 0)$|^\\[ {2}PASSED {2}\\]|^\\s{0,4}Successfully (?:installed|built)"
                        + " |^Training time:? \\d|\\bfinished \\d{1,9}"
                        + " (?:epochs|steps|iterations)\\b");

    /** At the end of a message: what the program does then. */
    private static final Pattern HANDLED =
            Pattern.compile(
                    "(?i)\\b(?:skipping|skipped|retrying|ignoring|ignored|falling back)\\b");

    /** Between the message of an exception and the calls that led to it. */
    private static final Pattern STACK_HEADER =
            Pattern.compile(
                    "^(?:Stacktrace|stack traceback|(?:Stack )?[Bb]acktrace|Stack trace):?$");

    /** Of a report of an exit code at the end of a line. */
    private static final int EXIT_CODE_CHARS = 40;

    /** Lines of a message before such a header. */
    private static final int MESSAGE_LINES = 8;

    /** Other ranks may still print a line or two after one rank has failed. */
    private static final int MIN_ACTIVITY = 3;

    private static final int RECOVERY_LINES = 3;
    private static final int MIN_LINES_BETWEEN = 10;
    private static final int MAX_LINES = 400;

    /** This number of lines that a logger marks as normal shows that the program went on. */
    private static final int MIN_NORMAL_LINES = 3;

    /** The program itself caught and logged the exception. */
    private static final int MIN_NORMAL_LINES_IF_LOGGED = 2;

    /** Printed while a program or its launcher ends. */
    private static final Pattern ENDING =
            Pattern.compile(
                    "(?i)kill|terminat|clos(?:e|ing)|shut|exit|clean|stop|abort|fail|error|signal"
                            + "|synced|syncing|upload|sending process|traceback|finished with");

    /** Before the traceback of an exception that the program logs because it ends. */
    private static final Pattern CRASH =
            Pattern.compile("(?i)\\b(?:crash(?:ed)?|unhandled|uncaught|fatal|aborted|aborting)\\b");

    private static final Pattern FRAME = Pattern.compile("^\\s{0,8}File \"");

    /** The end of a frame of such a function as {@code _is_triton_available}. */
    private static final Pattern CHECK =
            Pattern.compile(", in _{0,2}(?:is|has|have|check)_\\w{1,60}_(?:available|installed)$");

    /** Traces of a shell, times, rules, and reports of an exit code. */
    private static final Pattern EPILOGUE =
            Pattern.compile(
                    "\\++ |(?:real|user|sys)\\s{1,8}\\d|[-=*#_~]{4,}$|\\[epilog\\w*\\]|(?:Work"
                            + " dir|Container|Tip|Complete log|Shutting down|Exiting because)\\b"
                            + "|State: |in expression starting at |Set the environment variable"
                            + " HYDRA_FULL_ERROR"
                            + "|(?i:\\W{0,6}(?:job|run|script)?\\s?(?:finished|ended|end|done"
                            + "|completed|stopped)(?: at| on| time)?\\W{1,3}"
                            + "(?:\\w{1,12}\\W{1,2}){0,2}\\d{1,4}\\W.{0,30}$)");

    private static final Pattern EXIT_CODE =
            Pattern.compile(
                    "(?i)\\bexit(?:ed|ing)?(?: with)?[ -]?(?:code|status)\\b.{0,12}$"
                            + "|\\brc ?= ?\\d{1,3}$");

    /** A result or a success: printed by a program that goes on or has reached its end. */
    private static final Pattern SUCCESS =
            Pattern.compile(
                    "(?i)^(?!.{0,300}?\\b(?:not?|never|un\\w{2,20}|fail\\w{0,4}|errors?|abort\\w{0,3})\\b)"
                        + ".{0,300}?(?<![/.\\w-])(?:finished|completed|complete(?=\\W{0,4}$)|done|processed|success\\w{0,6}|saved?|saving|wrote|written"
                        + "|passed|ok|accuracy|acc|loss|score|epochs?|steps?|started|starting|loaded|running|listening|ready|installed|resolved|enabled|using|as"
                        + " expected)(?![/\\w-])|(?<![\\d.])0 (?:\\w{1,20} )?(?:failed|errors)\\b");

    /** Words of which every completion contains one: most lines contain none. */
    private static final KeywordSearch COMPLETION_WORDS =
            new KeywordSearch(
                    List.of(
                            "complete",
                            "finished",
                            "done",
                            "success",
                            "saved",
                            "wrote",
                            "written",
                            "trial",
                            "0 failed",
                            "exit",
                            "passed",
                            "training time",
                            "build succeeded"));

    /** Printed after the last of several attempts. */
    private static final Pattern GIVEN_UP =
            Pattern.compile(
                    "(?i)\\b(?:giving up|gave up|aborting|a second time|no more"
                            + " (?:retries|attempts)|retries exhausted|failed again|all"
                            + " (?:\\w{1,20} )?(?:attempts|retries) failed|after \\d{1,4}"
                            + " (?:\\w{1,20} )?(?:attempts|retries|tries)|(?:maximum|max)"
                            + " (?:number of )?(?:retries|attempts))\\b");

    private final List<AnalyzedLine> entries;

    /** Enough activity follows every line before this index; computed lazily. */
    private OptionalInt lastActive = OptionalInt.empty();

    /** The last line that looks like normal work; computed lazily. */
    private OptionalInt lastNormal = OptionalInt.empty();

    /** What is known about each line: computed lazily, because rules ask many times. */
    private final Map<Integer, Boolean> epilogues = new HashMap<>();

    private final Map<Integer, Boolean> consequences = new HashMap<>();
    private final Map<Integer, Boolean> continued = new HashMap<>();

    Continuation(List<AnalyzedLine> entries) {
        this.entries = entries;
    }

    private boolean isActiveAfter(int index) {
        if (lastActive.isEmpty()) {
            int found = 0;
            int at = entries.size();
            while (at > 0 && found < MIN_ACTIVITY) {
                at--;
                found += isEndOfCaught(at) ? 0 : activity(at);
            }
            int counted = found < MIN_ACTIVITY ? -1 : at;
            lastActive = OptionalInt.of(Math.max(counted, CountingLines.lastStart(entries)));
        }
        return index < lastActive.getAsInt();
    }

    /** What a program prints last after loguru has caught the exception that ended it. */
    private boolean isEndOfCaught(int index) {
        int at = index - 1;
        if (at < 0 || !entries.get(at).isException()) {
            return false;
        }
        do {
            at--;
        } while (at >= 0 && entries.get(at).role() == AnalyzedLine.Role.FRAME);
        return at >= 0 && entries.get(at).text().contains("An error has been caught in function");
    }

    private int activity(int index) {
        var entry = entries.get(index);
        if (entry.role() != AnalyzedLine.Role.PLAIN || isEpilogue(index)) {
            return 0;
        }
        if (!COMPLETION_WORDS.in(entry.text()).isEmpty()
                && COMPLETION.matcher(entry.text()).find()) {
            return MIN_ACTIVITY;
        }
        return ProgressReader.showsActivity(entry.text()) ? 1 : 0;
    }

    boolean hasContinuedAfter(int index) {
        return continued.computeIfAbsent(
                index,
                at ->
                        isActiveAfter(at)
                                || isRecoveredAfter(at)
                                || isLoggedAfter(at)
                                || isWarning(at)
                                || isCaughtByCheck(at));
    }

    /** Whether a script or a launcher prints such a line when its command has ended. */
    boolean isEpilogue(int index) {
        return epilogues.computeIfAbsent(index, at -> isEpilogue(entries.get(at).text()));
    }

    private static boolean isEpilogue(String text) {
        int tail = Math.max(0, text.length() - EXIT_CODE_CHARS);
        return EPILOGUE.matcher(text).lookingAt()
                || EXIT_CODE.matcher(text).region(tail, text.length()).find();
    }

    /** Whether the line only reports the failure of another process. */
    boolean isConsequence(int index) {
        return consequences.computeIfAbsent(
                index, at -> ExceptionNames.isConsequence(entries.get(at).text()));
    }

    /** Whether anything after the line looks like normal work, however little. */
    boolean isNormalAfter(int index) {
        if (lastNormal.isEmpty()) {
            lastNormal = OptionalInt.of(lastNormal());
        }
        return index < lastNormal.getAsInt();
    }

    private int lastNormal() {
        int at = entries.size() - 1;
        int message = 0;
        while (at >= 0 && (message > 0 || !isNormal(at))) {
            message = Math.max(0, message - 1);
            if (STACK_HEADER.matcher(entries.get(at).text()).find()) {
                message = MESSAGE_LINES;
            } else if (entries.get(at).level() == LogLevel.ERROR) {
                message = 0;
            }
            at--;
        }
        return at;
    }

    private boolean isNormal(int index) {
        var entry = entries.get(index);
        if (entry.role() != AnalyzedLine.Role.PLAIN
                || entry.level() == LogLevel.ERROR
                || ErrorLines.SHELL.matcher(entry.text()).find()
                || isEpilogue(index)) {
            return false;
        }
        if (entry.level() == LogLevel.INFO && !ENDING.matcher(entry.text()).find()) {
            return true;
        }
        return ProgressReader.showsActivity(entry.text())
                || (!entry.isIndented() && SUCCESS.matcher(entry.text()).find());
    }

    /** The same process logged normal work after the line. */
    private boolean isLoggedAfter(int index) {
        var speaker = entries.get(index).speaker();
        int announced = announcement(index, LogLevel.ERROR);
        boolean isCaught = announced >= 0 && !CRASH.matcher(entries.get(announced).text()).find();
        int needed = isCaught ? MIN_NORMAL_LINES_IF_LOGGED : MIN_NORMAL_LINES;
        long normal =
                after(index, MAX_LINES).stream()
                        .filter(entry -> entry.level() == LogLevel.INFO)
                        .filter(entry -> entry.role() == AnalyzedLine.Role.PLAIN)
                        .filter(entry -> entry.speaker().equals(speaker))
                        .filter(entry -> !ENDING.matcher(entry.text()).find())
                        .limit(needed)
                        .count();
        return normal >= needed;
    }

    /** The traceback of a failure that was only reported may come before the recovery. */
    private boolean isRecoveredAfter(int index) {
        if (isAnnouncedAsHandled(index)) {
            return true;
        }
        boolean isReport = isConsequence(index);
        int lines = 0;
        int end = Math.min(entries.size(), index + 1 + MAX_LINES);
        for (int i = index + 1; i < end; i++) {
            var entry = entries.get(i);
            boolean isTraceback = entry.role() == AnalyzedLine.Role.FRAME || entry.isException();
            if (isEpilogue(i)) {
                continue;
            }
            if (lines == RECOVERY_LINES || (isTraceback && !isReport)) {
                return false;
            }
            if (!isTraceback && isRecovery(entry.text())) {
                return !isGivenUpAfter(index);
            }
            lines += isTraceback ? 0 : 1;
        }
        return false;
    }

    /** The shell's report of a signal repeats the command, which may contain such a word. */
    private static boolean isRecovery(String text) {
        return RECOVERY.matcher(text).find() && !ErrorLines.SHELL.matcher(text).find();
    }

    /** A logger says before the traceback what the program does about it. */
    private boolean isAnnouncedAsHandled(int index) {
        int at = announcement(index, LogLevel.ERROR);
        return at >= 0 && HANDLED.matcher(entries.get(at).text()).find();
    }

    /** A logger marked the traceback as a warning, and the same process went on working. */
    private boolean isWarning(int index) {
        if (announcement(index, LogLevel.WARNING) < 0) {
            return false;
        }
        var speaker = entries.get(index).speaker();
        int end = Math.min(entries.size(), index + 1 + MAX_LINES);
        return IntStream.range(index + 1, end)
                        .filter(at -> entries.get(at).speaker().equals(speaker))
                        .filter(at -> activity(at) > 0)
                        .limit(MIN_NORMAL_LINES_IF_LOGGED)
                        .count()
                == MIN_NORMAL_LINES_IF_LOGGED;
    }

    /** A function that checks for an optional package printed the exception that it caught. */
    private boolean isCaughtByCheck(int index) {
        if (!entries.get(index).isException()) {
            return false;
        }
        var places = new ArrayList<String>();
        for (int at = index - 1;
                at >= 0 && entries.get(at).role() == AnalyzedLine.Role.FRAME && places.size() <= 1;
                at--) {
            if (FRAME.matcher(entries.get(at).text()).find()) {
                places.add(entries.get(at).text());
            }
        }
        return places.size() == 1 && CHECK.matcher(places.getFirst()).find();
    }

    /** The line that a logger marked so before the traceback; -1 if there is none. */
    private int announcement(int index, LogLevel level) {
        if (!entries.get(index).isException()) {
            return -1;
        }
        int at = index - 1;
        while (at >= 0 && entries.get(at).role() == AnalyzedLine.Role.FRAME) {
            at--;
        }
        return at >= 0 && entries.get(at).level() == level ? at : -1;
    }

    private boolean isGivenUpAfter(int index) {
        return after(index, MAX_LINES).stream()
                .anyMatch(entry -> GIVEN_UP.matcher(entry.text()).find());
    }

    /** Many lines later another exception ended the program that is not a consequence. */
    boolean hasLaterFailure(int index, Cause cause) {
        var speaker = entries.get(index).speaker();
        int between = 0;
        int end = Math.min(entries.size(), index + 1 + MAX_LINES);
        for (int i = index + 1; i < end; i++) {
            var entry = entries.get(i);
            if (entry.speaker().equals(speaker)) {
                if (entry.isException()
                        && !isConsequence(i)
                        && !ExceptionNames.follows(entry.text(), cause)) {
                    return between > MIN_LINES_BETWEEN;
                }
                between += entry.role() == AnalyzedLine.Role.PLAIN ? 1 : 0;
            }
        }
        return false;
    }

    private List<AnalyzedLine> after(int index, int lines) {
        return entries.subList(index + 1, Math.min(entries.size(), index + 1 + lines));
    }
}
