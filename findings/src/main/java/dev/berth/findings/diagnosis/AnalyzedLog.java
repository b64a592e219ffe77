package dev.berth.findings.diagnosis;

import dev.berth.findings.diagnosis.TracebackParser.Link;
import dev.berth.findings.diagnosis.TracebackParser.Raised;
import dev.berth.findings.log.LinePrefix;
import dev.berth.findings.log.LogLevel;
import dev.berth.findings.log.PlainLines;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** The lines of a log, each with its role. */
final class AnalyzedLog {

    private static final int MAX_ENTRIES = 4000;
    private static final int LAST_ERROR_LINES = 6;

    /** Lines between the call that starts a command and the exception it raises. */
    private static final int LAUNCH_LINES = 4;

    /** Limit for the candidate lines; more of them give no other result. */
    static final int MAX_CANDIDATE_CHARS = 32 * 1024;

    private final List<AnalyzedLine> entries;
    private final List<Integer> candidates;
    private final SequencedMap<Integer, BitSet> keywords;
    private final Map<Integer, Raised> raised;
    private final Set<Integer> superseded;
    private final Continuation continuation;

    private AnalyzedLog(List<AnalyzedLine> entries, Map<Integer, Raised> raised) {
        this.entries = entries;
        this.raised = raised;
        this.superseded = superseded(entries, raised);
        this.keywords = candidates(entries);
        this.candidates = List.copyOf(keywords.keySet());
        this.continuation = new Continuation(entries);
    }

    static AnalyzedLog of(String log) {
        var all = PlainLines.of(log);
        var lines = all.subList(Math.max(0, all.size() - MAX_ENTRIES), all.size());
        var prefixes = lines.stream().map(LinePrefix::of).toList();
        boolean isOneLevel = isOneLevel(prefixes);
        var entries = new ArrayList<AnalyzedLine>();
        var tracebacks = new TracebackParser();
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            var prefix = prefixes.get(i);
            var text = ChineseMessages.translate(prefix.textOf(line));
            if (!text.isBlank()) {
                var role = tracebacks.role(entries.size(), prefix.speaker(), text);
                var bare = role == AnalyzedLine.Role.EXCEPTION ? text.stripLeading() : text;
                var level = isOneLevel ? prefix.innerLevel() : prefix.level();
                entries.add(new AnalyzedLine(line, prefix.speaker(), level, bare, role));
            }
        }
        return new AnalyzedLog(List.copyOf(entries), Map.copyOf(tracebacks.raised()));
    }

    /** A logger that marks every line as normal, errors too, says nothing about any. */
    private static boolean isOneLevel(List<LinePrefix> prefixes) {
        return prefixes.stream().allMatch(prefix -> prefix.outerLevel() == LogLevel.INFO);
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
                            && !ExceptionNames.isLookup(entries.get(index).text())) {
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

    boolean isNearEnd(int index, int lines) {
        return entries.size() - index <= lines;
    }

    /** Whether the exception was raised because a command could not be started. */
    boolean isLaunch(int index) {
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
                    || ExceptionNames.isIntended(entries.get(here.earlier()).text())
                    || ExceptionNames.isConsequence(entries.get(here.earlier()).text())) {
                return at;
            }
            at = here.earlier();
        }
        return at;
    }

    /** Where in the user's own code the exception was raised. */
    Optional<String> frameOf(int index) {
        return Optional.ofNullable(raised.get(index)).flatMap(Raised::frame);
    }

    /** Whether the program continued after this line, so that it is not what ended it. */
    boolean hasContinuedAfter(int index) {
        return continuation.hasContinuedAfter(index);
    }
}
