package dev.berth.findings.diagnosis;

import dev.berth.findings.diagnosis.TracebackParser.Link;
import dev.berth.findings.diagnosis.TracebackParser.Raised;
import dev.berth.findings.log.LinePrefix;
import dev.berth.findings.log.LogLevel;
import dev.berth.findings.log.PlainLines;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.Pattern;

/** The lines of a log, each with its role. */
final class AnalyzedLog {

    private static final int MAX_ENTRIES = 4000;
    private static final int LAST_ERROR_LINES = 6;

    /** {@code FATAL:} and the spaces after it, without a time or a name. */
    private static final int MAX_WORD_CHARS = 10;

    /** Lines between the call that starts a command and the exception it raises. */
    private static final int LAUNCH_LINES = 4;

    private static final Pattern INSTALLER =
            Pattern.compile(
                    "\\[end of output\\]|subprocess-exited-with-error|metadata-generation-failed"
                            + "|Failed building wheel|setup\\.py (?:egg_info|bdist_wheel|install)");

    private static final Pattern BUILD =
            Pattern.compile(
                    "^(?:g?make\\S{0,10}: \\*\\*\\* \\[.{0,200}?\\.(?:o|so|a|lo|obj|all)\\]"
                            + "|ninja: build stopped)");

    /** Lines of one message. */
    private static final int MESSAGE_LINES = 5;

    /** A message of several lines begins with such a line. */
    private static final Pattern ANNOUNCEMENT =
            Pattern.compile(
                    "panicked at [^'\"]{1,200}:\\d{1,6}:\\d{1,6}:$|^\\W{0,4}(?:(?:[A-Z]{3,12}"
                        + " )?(?:[Ff]atal |FATAL )(?:\\w{1,10}"
                        + " )?(?:[Ee]rror|ERROR)|[Ee]rror|(?:[A-Z]{3,12} )?ERROR|FATAL|Error"
                        + " (?:message|Message Summary)|(?:FATAL )?Flags parsing error):?$|^Error"
                        + " using [\\w.>/]{1,80}(?: \\(line \\d{1,6}\\))?$");

    /** Below an exception of Java. */
    private static final Pattern STACK =
            Pattern.compile("^\\s{0,8}(?:at |\\.{3} \\d{1,4} (?:more|common frames)|Suppressed: )");

    /** R prints a long message below the call. */
    private static final Pattern CALL_OF_R = Pattern.compile("^Error in .{1,300} :$");

    private static final Pattern EXCEPTION_OF_CALL =
            Pattern.compile("^\\s{1,4}[\\w.]{1,80}(?:Error|Exception): ");

    private static final Pattern EMPTY_EXCEPTION = Pattern.compile("^[\\w.]{1,120}:$");

    private static final Pattern RULE = Pattern.compile("^[-=*#_~]{4,}$");

    /** Limit for the candidate lines; more of them give no other result. */
    static final int MAX_CANDIDATE_CHARS = 32 * 1024;

    private final List<AnalyzedLine> entries;
    private final List<Integer> candidates;
    private final SequencedMap<Integer, BitSet> keywords;
    private final Map<Integer, Raised> raised;
    private final Set<Integer> superseded;
    private final Continuation continuation;

    private final Set<Integer> lossesOfRanks;

    /** For each line the number of lines from it to the end that a program printed. */
    private final int[] contentFrom;

    private AnalyzedLog(List<AnalyzedLine> entries, Map<Integer, Raised> raised) {
        this.entries = entries;
        this.raised = raised;
        this.superseded = superseded(entries, raised);
        this.keywords = candidates(entries);
        this.candidates = List.copyOf(keywords.keySet());
        this.continuation = new Continuation(entries);
        this.contentFrom = contentFrom();
        this.lossesOfRanks = lossesOfRanks(entries, raised);
    }

    private int[] contentFrom() {
        var counts = new int[entries.size()];
        int count = 0;
        for (int i = entries.size() - 1; i >= 0; i--) {
            boolean isContent =
                    entries.get(i).role() != AnalyzedLine.Role.FRAME && !continuation.isEpilogue(i);
            count += isContent ? 1 : 0;
            counts[i] = count;
        }
        return counts;
    }

    static AnalyzedLog of(String log) {
        var all = PlainLines.of(log);
        var lines = all.subList(Math.max(0, all.size() - MAX_ENTRIES), all.size());
        var prefixes = LinePrefix.ofAll(lines);
        boolean isOneLevel = isOneLevel(prefixes);
        var entries = new ArrayList<AnalyzedLine>();
        var tracebacks = new TracebackParser();
        var nested = new NestedOutput();
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            var prefix = prefixes.get(i);
            var text = ChineseMessages.translate(nested.outdent(prefix.textOf(line)));
            if (!text.isBlank()) {
                var role = tracebacks.role(entries.size(), prefix.speaker(), text);
                var bare = role == AnalyzedLine.Role.EXCEPTION ? text.stripLeading() : text;
                var level = isOneLevel ? prefix.innerLevel() : prefix.level();
                entries.add(new AnalyzedLine(line, prefix.speaker(), level, bare, role));
            }
        }
        return new AnalyzedLog(List.copyOf(entries), Map.copyOf(tracebacks.raised()));
    }

    /** A logger that marks every line alike, normal ones and errors, says nothing about any. */
    private static boolean isOneLevel(List<LinePrefix> prefixes) {
        var levels = prefixes.stream().map(LinePrefix::outerLevel).distinct().toList();
        // A program that fails at once may print one error and nothing else.
        boolean isOnlyError =
                prefixes.size() == 1 && prefixes.getFirst().length() <= MAX_WORD_CHARS;
        return levels.equals(List.of(LogLevel.INFO))
                || (levels.equals(List.of(LogLevel.ERROR)) && !isOnlyError);
    }

    /** The lines that a rule may match, in order, with the keywords in them. */
    private static SequencedMap<Integer, BitSet> candidates(List<AnalyzedLine> entries) {
        var found = new LinkedHashMap<Integer, BitSet>();
        int chars = 0;
        for (int i = entries.size() - 1; i >= 0 && chars < MAX_CANDIDATE_CHARS; i--) {
            var entry = entries.get(i);
            if (entry.role() != AnalyzedLine.Role.FRAME) {
                var keywords = RuleKeywords.in(entry.text());
                boolean isLastError =
                        entry.level() == LogLevel.ERROR && i >= entries.size() - LAST_ERROR_LINES;
                if (entry.role() != AnalyzedLine.Role.PLAIN || !keywords.isEmpty() || isLastError) {
                    found.putFirst(i, keywords);
                    chars += entry.text().length();
                }
            }
        }
        return found;
    }

    /** Exceptions that the program expected: a failed lookup before the real failure. */
    private static Set<Integer> superseded(
            List<AnalyzedLine> entries, Map<Integer, Raised> raised) {
        var found = new HashSet<Integer>();
        raised.forEach(
                (index, exception) -> {
                    if (exception.link() == Link.WHILE_HANDLED
                            && exception.earlier() >= 0
                            && ExceptionNames.isLookup(entries.get(exception.earlier()).text())
                            && !ExceptionNames.isGeneric(entries.get(index).text())
                            && !ExceptionNames.isConsequence(entries.get(index).text())
                            && !ExceptionNames.isLookup(entries.get(index).text())) {
                        found.add(exception.earlier());
                    }
                });
        return found;
    }

    private static Set<Integer> lossesOfRanks(
            List<AnalyzedLine> entries, Map<Integer, Raised> raised) {
        var found = new HashSet<Integer>();
        raised.forEach(
                (index, exception) -> {
                    if (exception.link() != Link.NONE
                            && ExceptionNames.isRank(entries.get(index).text())) {
                        found.add(exception.earlier());
                    }
                });
        return found;
    }

    /** Indices of the lines that rules are matched against, in order. */
    List<Integer> candidates() {
        return candidates;
    }

    BitSet keywords(int index) {
        var known = keywords.get(index);
        return known == null ? RuleKeywords.in(entries.get(index).text()) : known;
    }

    int size() {
        return entries.size();
    }

    AnalyzedLine entry(int index) {
        return entries.get(index);
    }

    /** Lines that a script or a launcher prints when its command has ended are not counted. */
    boolean isNearEnd(int index, int lines) {
        return contentFrom[index] <= lines;
    }

    /**
     * The line that holds the message: the next one, if this one only announces it or names its
     * place.
     */
    int messageOf(int index) {
        int announced = announcedBy(index);
        return ErrorLines.isStackBelow(this, announced) ? rootOfStack(announced) : announced;
    }

    /** The last exception of a chain as Java prints it, below the one that it caused. */
    private int rootOfStack(int index) {
        int root = index;
        for (int i = index + 1; i < entries.size(); i++) {
            var text = entries.get(i).text();
            if (text.startsWith("Caused by: ")) {
                root = i;
            } else if (!STACK.matcher(text).find()) {
                return root;
            }
        }
        return root;
    }

    /** The line to show: the next one, if this one is an exception with nothing but its name. */
    int shownFor(int index) {
        int next = index + 1;
        boolean isBelow =
                EMPTY_EXCEPTION.matcher(entries.get(index).text()).find()
                        && entries.get(index).isException()
                        && next < entries.size()
                        && entries.get(next).role() == AnalyzedLine.Role.PLAIN
                        && !entries.get(next).isIndented()
                        && entries.get(next).speaker().equals(entries.get(index).speaker());
        return isBelow ? next : messageOf(index);
    }

    private int announcedBy(int index) {
        var text = entries.get(index).text();
        boolean isException =
                index + 1 < entries.size()
                        && ((text.endsWith(":") && ErrorLines.isStackBelow(this, index + 1))
                                || (CALL_OF_R.matcher(text).find()
                                        && EXCEPTION_OF_CALL
                                                .matcher(entries.get(index + 1).text())
                                                .find()));
        if (isException) {
            return index + 1;
        }
        if (!ANNOUNCEMENT.matcher(text).find()) {
            return index;
        }
        int next = index + 1;
        while (next < entries.size() && RULE.matcher(entries.get(next).text()).find()) {
            next++;
        }
        boolean isMessage =
                next < entries.size() && entries.get(next).role() != AnalyzedLine.Role.FRAME;
        return isMessage ? next : index;
    }

    /** The lines of the message that begins here: several, if the first ends with a colon. */
    List<Integer> message(int index) {
        var found = new ArrayList<Integer>();
        found.add(index);
        if (entries.get(index).text().stripTrailing().endsWith(":")) {
            for (int i = index + 1; i < entries.size() && found.size() <= MESSAGE_LINES; i++) {
                if (entries.get(i).role() == AnalyzedLine.Role.FRAME
                        || entries.get(i).isException()) {
                    break;
                }
                if (entries.get(i).speaker().equals(entries.get(index).speaker())) {
                    found.add(i);
                }
            }
        }
        return found;
    }

    /** Whether the exception, or the one it follows from, reports a command that did not start. */
    boolean isLaunch(int index) {
        var here = raised.get(index);
        return isLaunchItself(index)
                || (here != null && here.earlier() >= 0 && isLaunchItself(here.earlier()));
    }

    private boolean isLaunchItself(int index) {
        return entries.get(index).isException()
                && entries.subList(Math.max(0, index - LAUNCH_LINES), index).stream()
                        .anyMatch(
                                entry ->
                                        entry.role() == AnalyzedLine.Role.FRAME
                                                && entry.text().contains("in _execute_child"));
    }

    boolean isLastError(int index) {
        return isNearEnd(index, LAST_ERROR_LINES) && entries.get(index).level() == LogLevel.ERROR;
    }

    /** Whether a later exception shows that this one was expected. */
    boolean isSuperseded(int index) {
        return superseded.contains(index);
    }

    /** The first exception of the chain that ends with this one. */
    int rootOf(int index) {
        int at = index;
        for (int steps = 0; steps < MAX_ENTRIES; steps++) {
            var here = raised.get(at);
            if (here == null
                    || here.link() == Link.NONE
                    || here.earlier() < 0
                    || isSuperseded(here.earlier())
                    || (here.link() == Link.CAUSED
                            && ExceptionNames.isFormat(entries.get(here.earlier()).text()))
                    || ExceptionNames.isIntended(entries.get(here.earlier()).text())
                    || isConsequence(here.earlier())) {
                return at;
            }
            at = here.earlier();
        }
        return at;
    }

    /** Whether the exception led to one that says that ranks did not find each other. */
    boolean isLossOfRanks(int index) {
        return lossesOfRanks.contains(index);
    }

    /** Where in the user's own code the exception was raised. */
    Optional<String> frameOf(int index) {
        return Optional.ofNullable(raised.get(index)).flatMap(Raised::frame);
    }

    /** The same of the nearest exception: one that a library wraps has no frame of the user. */
    Optional<String> frameNear(int index) {
        return raised.keySet().stream()
                .sorted()
                .filter(other -> frameOf(other).isPresent())
                .min(Comparator.comparingInt(other -> Math.abs(other - index)))
                .flatMap(this::frameOf);
    }

    /** Whether pip reports that it could not build a package. */
    boolean hasInstaller() {
        return entries.stream().anyMatch(entry -> INSTALLER.matcher(entry.text()).find());
    }

    /** Whether the line only reports the failure of another process. */
    boolean isConsequence(int index) {
        return continuation.isConsequence(index);
    }

    /** Whether a build tool reports after the line that it could not make a file. */
    boolean isBuildAfter(int index) {
        return entries.subList(index, entries.size()).stream()
                .anyMatch(entry -> BUILD.matcher(entry.text()).find());
    }

    /** Whether anything after the line looks like normal work. */
    boolean isNormalAfter(int index) {
        return continuation.isNormalAfter(index);
    }

    /** Whether the program continued after this line, so that it is not what ended it. */
    boolean hasContinuedAfter(int index) {
        return continuation.hasContinuedAfter(index);
    }

    /** Whether another exception ended the program much later that does not follow from this. */
    boolean hasLaterFailure(int index, Cause cause) {
        return continuation.hasLaterFailure(index, cause);
    }
}
