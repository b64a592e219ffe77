package dev.berth.findings.diagnosis;

import dev.berth.findings.diagnosis.AnalyzedLine.Role;
import dev.berth.findings.log.LogLevel;

import java.util.ArrayList;
import java.util.List;
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
                    "^[\\s\\[|*!>#-]{0,12}(?:PHP |[^\\s:]{1,60}: ){0,2}"
                            + WORD
                            + "(?:\\[\\w{1,10}\\])?(?: [^:]{1,80}| ?\\([^)]{1,160}\\))? ?[:!)]"
                            + NO_NUMBER
                            + "|^(?:ERROR|FATAL|CRITICAL)["
                            + " !]{1,4}(?!(?:rate|counts?|metrics?)\\b)[A-Za-z(]|^Error"
                            + " (?:using|in|while|when|during|at|occurred|executing|reading"
                            + "|loading)\\b|\\b(?:error|exception)s? (?:has |have"
                            + " )?(?:occurred|been (?:caught|raised|thrown))\\b|\\bthe following"
                            + " errors?:|^[✘✖❌×✗] (?!.{0,80}? masks )\\S|^(?:FAILED|FAIL:|\\[ "
                            + " FAILED  \\]|E"
                            + " {3}(?=\\S{0,60}(?:Error|Exception|assert)))\\s{0,4}\\S|\\btests?"
                            + " FAILED\\b|^\\W{0,3}[Aa]ssert(?:ion)?\\b.{0,200}?"
                            + " [Ff]ailed|^(?:[^\\s:]{1,120}:"
                            + " )?\\S{1,200}\\.(?:rb|lua|pl|php|jl|js|ts|m|sh):\\d{1,6}:(?:in"
                            + " [`'][^']{1,80}':)? \\S|^.{1,200}? at \\S{1,200} line"
                            + " \\d{1,6}\\.$|\\bpanicked at\\b");

    private static final Pattern WEAK =
            Pattern.compile(
                    "^\\W{0,4}(?:[^:]{1,60}: ){0,3}(?:[Ff]ailed to|[Cc]annot|[Cc]an't|[Cc]ould"
                            + " not|[Cc]ouldn't|[Uu]nable to|[Ii]nvalid|[Uu]nknown|[Uu]nsupported"
                            + "|[Mm]issing|[Nn]o such|[Nn]ot enough|[Ii]llegal|[Uu]nexpected)\\b"
                            + "|\\b(?:failed|not found|does not exist|aborted|is required|not"
                            + " supported|not defined)\\b(?:[.!]?$|: \\S)"
                            + "|: (?:[Nn]o such file or directory|[Pp]ermission denied"
                            + "|[Ii]nput/output error|[Oo]peration not permitted)$");

    /** Reports only that something else failed, or is printed by commands that may fail. */
    private static final Pattern SUMMARY =
            Pattern.compile(
                    "^(?:g?make|ninja|srun|slurmstepd|mpirun|mpiexec|prterun|npm|Makefile)\\b"
                        + "|\\bexit(?:ed|s)?\\b.{0,40}?\\b(?:code|status|value)\\b|non-?zero|Error"
                        + " in rule|Error executing (?:job|process)|[Ss]ee (?:above|the"
                        + " log)|[Ll]ook above|\\bexitcode\\b|\\breturned? (?:code|error code)"
                        + " -?\\d|\\b(?:0|no) (?:\\w{1,20} )?(?:failed|errors?)\\b|:"
                        + " 0$|^\\W{0,3}\\d+ errors?\\b|dependency resolver|\\bignored\\b|: File"
                        + " exists$"
                        + "|^(?:rm|rmdir|unlink|find|grep|which|type|command|kill|pkill|ls|cat"
                        + "|stat|du|groups|debconf|invoke-rc\\.d)\\b");

    private ErrorLines() {}

    /** The lines of the last failure in their order; empty if nothing near the end is one. */
    static List<Integer> find(AnalyzedLog log) {
        var strong = last(log, STRONG, LAST_LINES);
        return strong.isEmpty() ? last(log, WEAK, LAST_WEAK_LINES) : strong;
    }

    private static List<Integer> last(AnalyzedLog log, Pattern pattern, int lines) {
        var found = new ArrayList<Integer>();
        int gap = 0;
        for (int i = log.size() - 1; i >= 0 && gap <= MAX_GAP && log.isNearEnd(i, lines); i--) {
            boolean isError = isError(log, i, pattern);
            if (isError) {
                found.addFirst(i);
            }
            gap = isError || found.isEmpty() ? 0 : gap + 1;
        }
        return found;
    }

    private static boolean isError(AnalyzedLog log, int index, Pattern pattern) {
        var entry = log.entry(index);
        if (entry.role() == Role.FRAME
                || entry.isException()
                || SUMMARY.matcher(entry.text()).find()
                || log.hasContinuedAfter(index)
                || log.hasLaterFailure(index, Cause.TRACEBACK)
                || log.isNormalAfter(index)) {
            return false;
        }
        boolean isMarked = pattern == STRONG && entry.level() == LogLevel.ERROR;
        boolean isNamed =
                entry.role() == Role.BARE
                        ? isStackBelow(log, index)
                                || MessageCauses.ofException(entry.text()).isPresent()
                        : pattern.matcher(entry.text()).find();
        return (isMarked || isNamed) && Statement.isStated(entry, 0, entry.text().length());
    }

    /** Java, JavaScript and C# print the calls below the exception. */
    static boolean isStackBelow(AnalyzedLog log, int index) {
        return index + 1 < log.size()
                && log.entry(index + 1).text().stripLeading().startsWith("at ");
    }
}
