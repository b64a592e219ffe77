package dev.berth.findings.diagnosis;

import dev.berth.findings.diagnosis.AnalyzedLine.Role;
import dev.berth.findings.log.LogLevel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/**
 * Finds the lines near the end in which a program of any kind says that it failed, for failures
 * that no rule knows.
 */
final class ErrorLines {

    /** Errors further from the end did not end the program. */
    private static final int LAST_LINES = 30;

    /** Lines without a word for an error must be nearer to the end. */
    private static final int LAST_WEAK_LINES = 8;

    /** Lines between the errors of one failure. */
    private static final int MAX_GAP = 5;

    private static final String WORD =
            "(?:[Ff]atal [Ee]rror|FATAL ERROR|fatal|FATAL|Fatal|error|ERROR|Error|CRITICAL|SEVERE"
                    + "|[Pp]anic|(?:[Uu]nhandled|[Uu]ncaught) \\w{1,40}"
                    + "|\\w{0,60}(?:Error|Exception))";

    /** A number after the word is a measured error. */
    private static final String NO_NUMBER =
            "(?![:/]| ?[-+.]?\\d{1,9}(?:\\.\\d{1,9})?%?(?:$|[\\s,|]))";

    /** The word for an error begins the line, or follows the name of the tool. */
    private static final Pattern STRONG =
            Pattern.compile(
                    "^[\\s\\[|*!>#-]{0,12}(?:PHP |[^\\s:]{1,120}(?::\\d{1,6}){0,2}: |[A-Z]{3,12}"
                            + " (?=FATAL|Fatal)|[A-Za-z]\\w{2,20} (?=error: \\D)){0,2}"
                            + WORD
                            + "(?:\\[\\w{1,10}\\])?(?:[. ] ?[^:]{1,80}| ?\\([^)]{1,160}\\))? ?[:!)]"
                            + NO_NUMBER
                            + "|^(?:\\[[^\\]\\s]{1,60}\\] ?)?[A-Z]{2,12} ERROR(?::(?!"
                            + " -)|$)|^(?:ERROR|FATAL|CRITICAL)["
                            + " !]{1,4}(?!(?:rate|counts?|metrics?)\\b)[A-Za-z(]|^\\s{0,8}Error"
                            + " (?:using|in|while|when|during|at|occurred|executing|reading|loading)\\b|\\b(?:error|exception)s?"
                            + " (?:has |have )?(?:occurred|been (?:caught|raised|thrown))\\b|\\bthe"
                            + " following errors?:|^[✘✖❌×✗] (?!.{0,80}? masks"
                            + " )\\S|^(?:FAILED|FAIL:|\\[  FAILED  \\](?! \\d{1,6} tests?,)|E"
                            + " {3}(?=\\S{0,60}(?:Error|Exception|assert)))\\s{0,4}\\S|\\btests?"
                            + " FAILED\\b|^\\W{0,3}[Aa]ssert(?:ion)?\\b.{0,200}?"
                            + " [Ff]ailed|^(?:[^\\s:]{1,120}:"
                            + " )?\\S{1,200}\\.(?:rb|lua|pl|php|jl|js|ts|m|sh):\\d{1,6}:(?:in"
                            + " [`'][^']{1,80}':)? \\S|^(?!Use of ).{1,200}? at \\S{1,200} line"
                            + " \\d{1,6}(?:, <\\w{1,20}> line \\d{1,9})?\\.$|\\bpanicked at\\b");

    private static final Pattern WEAK =
            Pattern.compile(
                    "^\\W{0,4}(?:(?:[^:]|::){1,100}: {1,2}){0,3}(?:[Ff]ail(?:ed)?"
                        + " to|[Cc]annot|[Cc]an't|[Cc]ould not|[Cc]ouldn't|[Uu]nable"
                        + " to|[Ii]nvalid|[Uu]nknown|[Uu]nsupported|[Uu]nrecogni[sz]ed|[Mm]issing|[Nn]o"
                        + " such|[Nn]ot enough|[Ii]llegal|[Uu]nexpected)\\b|\\b(?:failed|not"
                        + " found|does not exist|aborted|is required|not"
                        + " (?:supported|defined|present))\\b(?:[.!]?[\\s*|!]{0,80}$|: \\S|"
                        + " -)|\\bexpected\\b.{1,200}? to exist\\b"
                        + "|(?i)\\b(?:nan|inf|diverged)\\b.{0,80}?\\b(?:stopping|aborting|exiting)\\b|,"
                        + " (?:aborting|exiting|quitting|giving up)[.!]?$(?-i)|^[^\\s:]{1,200}:"
                        + " line \\d{1,6}: (?!.{0,200}?warning)\\S|: (?:[Nn]o such file or"
                        + " directory|[Pp]ermission denied|[Ii]nput/output error|[Rr]esource"
                        + " temporarily unavailable|[Oo]peration not permitted)$");

    /** Reports only that something else failed, or is printed by commands that may fail. */
    private static final Pattern SUMMARY =
            Pattern.compile(
                    "^(?:g?make|ninja|srun|slurmstepd|mpirun|mpiexec|prterun|npm|Makefile)\\b"
                        + "|\\bexit(?:ed|s)?\\b.{0,40}?\\b(?:code|status|value)\\b|non-?zero|Error"
                        + " in rule|Error executing (?:job|process)|[Ss]ee (?:above|the"
                        + " log)|[Ll]ook above|\\bexitcode\\b|\\breturned? (?:code|error code)"
                        + " -?\\d|\\b(?:0|no) (?:\\w{1,20} )?(?:failed|errors?)\\b|:"
                        + " 0$|^\\W{0,3}\\d+ errors?\\b|dependency"
                        + " resolver|\\bignored\\b|\\breceived signal (?:15|SIGTERM)\\b|^Unable to"
                        + " find image '[^']{1,200}' locally$|: File exists$|is not"
                        + " recoverable|previous errors|^\\s{0,8}Error in try|^Exception in"
                        + " (?:thread|background worker) [^\":]{1,80}:$|^Error in \\S{1,80} \\(line"
                        + " \\d{1,6}\\)$"
                        + "|^(?:rm|rmdir|unlink|find|grep|which|type|command|kill|pkill|ls|cat"
                        + "|stat|du|groups|debconf|invoke-rc\\.d)\\b");

    /** The shell begins all its messages so. */
    static final Pattern SHELL = Pattern.compile("^[^\\s:]{1,200}: line \\d{1,6}: ");

    private static final Pattern INDENTED =
            Pattern.compile(
                    "^\\s{1,40}(?:ERROR|FATAL|Fatal [Ee]rror|Error in (?!try)\\w{1,40})\\b"
                            + NO_NUMBER);

    private static final Pattern BOX = Pattern.compile("^\\s{1,4}[*|!#]\\s");

    private static final Pattern UNHANDLED =
            Pattern.compile("^(?:Unhandled|Uncaught) \\w{1,40}[.:]");

    private ErrorLines() {}

    /** The lines of the last failure in their order; empty if nothing near the end is one. */
    static List<Integer> find(AnalyzedLog log) {
        var strong = last(log, LAST_LINES, index -> isError(log, index, STRONG));
        if (!strong.isEmpty()) {
            return strong;
        }
        var weak = last(log, LAST_WEAK_LINES, index -> isError(log, index, WEAK));
        return weak.isEmpty() ? last(log, LAST_WEAK_LINES, index -> isInBox(log, index)) : weak;
    }

    /** Whether the line alone looks like the last words of a program. */
    static boolean isLastWord(AnalyzedLine entry) {
        return entry.level() == LogLevel.ERROR
                || UNHANDLED.matcher(entry.text()).find()
                || (entry.role() == Role.PLAIN
                        && STRONG.matcher(entry.text()).find()
                        && !SUMMARY.matcher(entry.text()).find());
    }

    private static List<Integer> last(AnalyzedLog log, int lines, IntPredicate isErrorAt) {
        var found = new ArrayList<Integer>();
        int gap = 0;
        for (int i = log.size() - 1;
                i >= 0 && gap <= MAX_GAP && log.isNearEnd(i, lines) && !log.isNormalAfter(i);
                i--) {
            boolean isError = isErrorAt.test(i) && isLast(log, i);
            if (isError) {
                found.addFirst(i);
            }
            gap = isError || found.isEmpty() ? 0 : gap + 1;
        }
        return found;
    }

    /** Programs of science print their errors indented or in a box. */
    private static boolean isInBox(AnalyzedLog log, int index) {
        var text = log.entry(index).text();
        return Character.isWhitespace(text.charAt(0))
                && log.entry(index).level() == LogLevel.NONE
                && (INDENTED.matcher(text).find()
                        || (BOX.matcher(text).find() && WEAK.matcher(text).find()));
    }

    /** Whether nothing after the line shows that the program went on. */
    private static boolean isLast(AnalyzedLog log, int index) {
        var entry = log.entry(index);
        return entry.role() != Role.FRAME
                && !entry.isException()
                && !SUMMARY.matcher(entry.text()).find()
                && !log.hasContinuedAfter(index)
                && !log.hasLaterFailure(index, Cause.TRACEBACK);
    }

    private static boolean isError(AnalyzedLog log, int index, Pattern pattern) {
        var entry = log.entry(index);
        boolean isMarked = pattern == STRONG && entry.level() == LogLevel.ERROR;
        boolean isNamed =
                entry.role() == Role.BARE
                        ? isStackBelow(log, index)
                                || MessageCauses.ofException(entry.text()).isPresent()
                        : pattern.matcher(entry.text()).find();
        int end = entry.text().length();
        return (isMarked || isNamed)
                && (pattern == STRONG
                        ? Statement.isError(entry, 0, end)
                        : Statement.isStated(entry, 0, end));
    }

    /** Java, JavaScript and C# print the calls below the exception. */
    static boolean isStackBelow(AnalyzedLog log, int index) {
        return index + 1 < log.size()
                && log.entry(index + 1).text().stripLeading().startsWith("at ");
    }
}
