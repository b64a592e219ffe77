package dev.berth.findings.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reads a prefix part by part, because loggers and launchers combine them in any order. At most one
 * space after a part belongs to it: the indentation of a traceback must remain.
 */
final class PrefixParser {

    private static final int MAX_PARTS = 8;
    private static final int MAX_CHARS = 300;

    private static final String DATE =
            "(?:\\d{4}[-/.]\\d{2}[-/.]\\d{2}|\\d{2}[-/]\\d{2}(?:[-/]\\d{2,4})?)";
    private static final String CLOCK = "\\d{1,2}:\\d{2}:\\d{2}(?:[.,:]\\d{1,9})?";
    private static final String ZONE =
            "(?:Z|\\s?[+-]\\d{2}:?\\d{2}|\\s(?:UTC|GMT|CEST|CET|[PEMC][SD]T))?";
    private static final String WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ";
    private static final String MONTH =
            "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\\d{1,2}";
    private static final String LEVELS =
            "CRITICAL|FATAL|SEVERE|ERROR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE|SUCCESS";
    private static final String SOURCE =
            "[\\w./<>+-]{1,120}\\.(?:py|pyx|cc|cpp|cxx|cu|cuh|c|h|hpp|go|rs|java|lua):\\d{1,6}";

    /** Between two parts; the dash and the bar need a space around them. */
    private static final String SEPARATOR = "(?: - | -(?=-|\\[)| ?[:|](?![:|/\\\\]) ?|,?[ \\t])?";

    /** {@code 0:} of srun. */
    private static final Pattern TASK = Pattern.compile(" {0,4}\\d{1,5}:(?=\\s|$)\\s?");

    /** After a level it may be a code of HTTP: {@code ERROR 404: Not Found}. */
    private static final Pattern TASK_AFTER_LEVEL = Pattern.compile("(?![45]\\d\\d:)" + TASK);

    /** {@code [rank0]:}, {@code [1,0]<stderr>:}, {@code (Worker pid=1)}. */
    private static final Pattern SPEAKER =
            Pattern.compile(
                    "(?:\\[(?:rank ?|default|proc|worker|node|host|Rank"
                        + " )?\\d{1,6}\\](?::|<std(?:err|out)>:)|\\[\\d{1,6},(?:[a-z]{1,20}:)?\\d{1,6}(?:,[\\w.-]{1,60})?\\]<std(?:err|out)>:|\\[[Rr]ank"
                        + " ?\\d{1,6}\\](?= )|\\[\\d{1,6},\\d{1,6}\\]:"
                        + "|\\((?:[^()\\s]{1,80}(?:\\([^()\\s]{0,60}\\))?\\s)?pid=\\d{1,9}[^()]{0,120}\\)"
                        + "|\\((?:raylet|autoscaler[^()]{0,20}|APIServer|EngineCore\\w{0,10})\\)|[\\w.-]{1,60}:"
                        + " \\[\\d{1,6}\\]<std(?:err|out)>:)\\s?");

    /** {@code E0102 03:04:05.678 123 file.cc:12]} and the shorter forms of PyTorch. */
    private static final Pattern GLOG =
            Pattern.compile(
                    "\\[?([EWIFV])(?:\\d{3,8} "
                            + CLOCK
                            + "|\\d{4}"
                            + " 00:00:\\d{6,12}\\.\\d{1,9})?\\s{1,8}(?:\\d{1,9}(?:\\.\\d{1,9})?\\s{1,4}){0,2}"
                            + "[\\w./+-]{1,120}:\\d{1,6}\\](?::(?=\\s))?\\s?");

    /** {@code [I 2023-04-04 12:00:01]} of Optuna, {@code [2024-04-30 10:01:41 E 77 78]} of Ray. */
    private static final Pattern LETTER_AND_TIME =
            Pattern.compile(
                    "\\[(?:([EWIDFC]) (?:"
                            + DATE
                            + "[ T])?"
                            + CLOCK
                            + "(?: [\\w.]{1,40})?|"
                            + DATE
                            + "[ T]"
                            + CLOCK
                            + ":? ([EWIDFC]) [^\\]\\s]{1,120}(?: \\d{1,9})?)\\]"
                            + "(?: "
                            + SOURCE
                            + ":)?\\s?");

    /** Docker, Kubernetes and journald add the stream or the program. */
    private static final Pattern TIME =
            Pattern.compile(
                    "(?:[\\[(<]?"
                            + DATE
                            + "[T _-]\\s?"
                            + CLOCK
                            + ZONE
                            + "(?:\\s[\\w.]{1,60}(?=\\]))?[\\])>]?(?: std(?:err|out)"
                            + " [FP](?=\\s|$))?|[\\[(<]?"
                            + CLOCK
                            + ZONE
                            + "[\\])>]?(?=[\\s:|\\]\\[-]|$)"
                            + "|\\["
                            + WEEKDAY
                            + MONTH
                            + " "
                            + CLOCK
                            + " \\d{4}\\]"
                            + "|(?:"
                            + WEEKDAY
                            + ")?"
                            + MONTH
                            + " "
                            + CLOCK
                            + ZONE
                            + "(?: \\d{4})?(?: [\\w.-]{1,80}"
                            + " [\\w./@-]{1,60}(?:\\[\\d{1,9}\\])?:(?=\\s|$))?"
                            + "|\\[\\s{0,6}\\d{1,9}\\.\\d{6}\\]|\\[[\\d.,]{1,12}m?s\\])"
                            + SEPARATOR);

    /** {@code ERROR:root:}, {@code [ERROR]}, {@code ERROR:}, {@code ERROR 05-23 09:31:47}. */
    private static final Pattern LEVEL =
            Pattern.compile(
                    "(?:\\[([EWI])::[\\w:]{1,80}\\] |[\\[┌] (Error|Warning|Info|Debug): |("
                            + LEVELS
                            + "):[a-z_][\\w.]{0,100}:|(?:[\\[<(]\\s{0,2}("
                            + LEVELS
                            + "|(?i:error|warning|warn|info|debug|critical)|[EWIF])\\s{0,4}[\\]>)])"
                            + SEPARATOR
                            + "|(ERROR|DEBUG|FATAL): {3,4}(?=\\S)(?!File \")|(INFO):"
                            + " {4,5}(?=\\S)|(WARNING): {2}(?=\\S)|("
                            + LEVELS
                            + ")(?:\\s{0,8}[|:](?![:|/]) ?| - )|("
                            + LEVELS
                            + ") {1,8}(?=\\[|"
                            + DATE
                            + "[ T]|"
                            + SOURCE
                            + "))");

    /**
     * Without a separator only after a time, because a sentence may begin with the word. Loggers
     * pad levels to eight characters; other spaces are the indentation of the text.
     */
    private static final Pattern BARE_LEVEL =
            Pattern.compile(
                    "(?:(ERROR|DEBUG|TRACE|FATAL)(?: {4}(?=\\S)|\\s|$)|(INFO|WARN)(?:"
                            + " {5}(?=\\S)|\\s|$)|(WARNING|SUCCESS)(?:"
                            + " {2}(?=\\S)|\\s|$)|(CRITICAL|SEVERE|NOTICE)(?:\\s|$)|([EWI])"
                            + " (?=tensorflow/|external/))");

    /** {@code root -}, {@code [__main__]}, {@code mod:fn:12 -}, {@code train.py:12]}. */
    private static final Pattern NAME =
            Pattern.compile(
                    "(?:\\([\\w.]{1,60}\\.py \\d{1,6}\\): |[A-Za-z_<][\\w.<>:/-]{0,119}\\s{0,24} -"
                            + " |[A-Za-z_<][\\w.<>-]{0,99}\\s{0,24}"
                            + " \\|\\s|\\[[A-Za-z_<][\\w.<>:/-]{0,99}\\]:?(?: - |\\s)?|\\(?"
                            + SOURCE
                            + "(?::\\w{1,60})?\\)?[\\]:]?(?: - |\\s)(?!(?:fatal )?error: |warning:"
                            + " |note: ))");

    /** {@code root:} after a level; an exception also ends with a colon. */
    private static final Pattern LOGGER_NAME =
            Pattern.compile(
                    "(?:root|main|__main__|(?!\\S{0,100}(?i:error|exception):)[a-z_]\\w{0,60}(?:\\.[a-z_]\\w{0,60}){1,8}):\\s(?!error:"
                        + " )");

    private static final Pattern SOURCE_IN_BRACKETS =
            Pattern.compile("\\[" + SOURCE + "(?::\\w{1,60})?\\]:?(?: - |\\s)?");

    /** {@code worker-1 | text} of docker compose. */
    private static final Pattern CONTAINER =
            Pattern.compile("[a-z][\\w.-]{0,60}[-_]\\d{1,4}\\s{1,20}\\| ");

    private final String line;
    private final int end;
    private final StringBuilder speaker = new StringBuilder();
    private final List<LogLevel> levels = new ArrayList<>();
    private boolean isLogger;
    private int at;

    PrefixParser(String line) {
        this.line = line;
        this.end = Math.min(line.length(), MAX_CHARS);
    }

    /** Most lines of a log begin with a word or a space and have no prefix. */
    static boolean mayHavePrefix(String line) {
        char first = line.charAt(0);
        char second = line.length() > 1 ? line.charAt(1) : ' ';
        return switch (first) {
            case '[', '(', '<', '┌' -> true;
            case ' ' -> second == ' ' || Character.isDigit(second);
            case 'E', 'W', 'I', 'F', 'D', 'C', 'S', 'N', 'T', 'J', 'M', 'A', 'O', 'V' -> true;
            default ->
                    Character.isDigit(first)
                            || (Character.isLowerCase(first) && line.indexOf(" | ") > 0);
        };
    }

    LinePrefix parse() {
        for (int part = 0; part < MAX_PARTS && readPart(); part++) {
            // The next part begins where this one ended.
        }
        return at == 0 ? LinePrefix.NONE : new LinePrefix(at, speaker.toString(), levels);
    }

    private boolean readPart() {
        return readSpeaker() || readGlog() || readTime() || readLevel() || readName();
    }

    private boolean readSpeaker() {
        var found =
                match(SPEAKER)
                        .or(() -> match(levels.isEmpty() ? TASK : TASK_AFTER_LEVEL))
                        .or(() -> at == 0 ? match(CONTAINER) : Optional.empty());
        found.ifPresent(match -> speaker.append(match.group().strip()));
        return found.isPresent();
    }

    private boolean readGlog() {
        return readWithLevel(GLOG) || readWithLevel(LETTER_AND_TIME);
    }

    private boolean readTime() {
        boolean isRead = match(TIME).isPresent();
        isLogger |= isRead;
        return isRead;
    }

    private boolean readLevel() {
        return readWithLevel(LEVEL) || (isLogger && readWithLevel(BARE_LEVEL));
    }

    private boolean readName() {
        return match(SOURCE_IN_BRACKETS).isPresent()
                || (isLogger && match(NAME).isPresent())
                || (!levels.isEmpty() && match(LOGGER_NAME).isPresent());
    }

    private boolean readWithLevel(Pattern pattern) {
        var found = match(pattern);
        found.ifPresent(
                match -> {
                    for (int group = 1; group <= match.groupCount(); group++) {
                        var word = match.group(group);
                        if (word != null) {
                            levels.add(LogLevel.of(word));
                        }
                    }
                });
        isLogger |= found.isPresent();
        return found.isPresent();
    }

    private Optional<MatchResult> match(Pattern pattern) {
        var matcher = pattern.matcher(line).region(at, end).useTransparentBounds(true);
        if (at >= end || !matcher.lookingAt() || matcher.end() == at) {
            return Optional.empty();
        }
        at = matcher.end();
        return Optional.of(matcher);
    }
}
