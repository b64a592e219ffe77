package dev.berth.cli.command.log;

import dev.berth.cli.text.SafeText;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One entry of the server's log: {@code TIME LEVEL SOURCE TEXT}, followed by the indented stack
 * trace of an exception.
 *
 * @param kind of the event that the entry reports, or empty
 * @param lines as they are in the file; only the first is parsed
 */
record LogEntry(String at, String level, String source, String kind, List<String> lines) {

    private static final Pattern FIRST =
            Pattern.compile("(\\d{4}-\\S+ \\d\\S+) ([A-Z]+) (\\S+)  (.*)");

    /** The fields task= and attempt= follow the kind of an event. */
    private static final Pattern EVENT = Pattern.compile("([a-z_]+\\.[a-z_.]+) task=\\S+ .*");

    private static final Pattern TASK = Pattern.compile("(?:^| )task=(\\d{1,18})(?= |$)");
    private static final Pattern ATTEMPT = Pattern.compile("(?:^| )attempt=(\\d{1,9})(?= |$)");

    /** A continuation line at the beginning of a file is an entry by itself. */
    static List<LogEntry> parse(List<String> lines) {
        List<LogEntry> entries = new ArrayList<>();
        for (String line : lines) {
            Matcher first = FIRST.matcher(line);
            if (first.matches()) {
                Matcher event = EVENT.matcher(first.group(4));
                entries.add(
                        new LogEntry(
                                first.group(1),
                                first.group(2),
                                first.group(3),
                                event.matches() ? event.group(1) : "",
                                new ArrayList<>(List.of(line))));
            } else if (entries.isEmpty()) {
                entries.add(new LogEntry("", "", "", "", new ArrayList<>(List.of(line))));
            } else {
                entries.getLast().lines().add(line);
            }
        }
        return entries;
    }

    /**
     * True if the entry's kind is one of these or belongs to one of these groups: {@code task.}
     * matches all task events.
     */
    boolean matches(List<String> kinds) {
        for (String shown : kinds) {
            String group = shown.endsWith(".") ? shown : shown + ".";
            if (kind.equals(shown) || kind.startsWith(group)) {
                return true;
            }
        }
        return kinds.isEmpty();
    }

    Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("at", at);
        fields.put("level", level);
        fields.put("source", source);
        fields.put("kind", kind);
        String text = text();
        Matcher task = TASK.matcher(text);
        if (task.find()) {
            fields.put("task", Long.parseLong(task.group(1)));
        }
        Matcher attempt = ATTEMPT.matcher(text);
        if (attempt.find()) {
            fields.put("attempt", Integer.parseInt(attempt.group(1)));
        }
        fields.put("text", text);
        fields.put("more", lines.subList(1, lines.size()));
        return fields;
    }

    private String text() {
        Matcher first = FIRST.matcher(lines.getFirst());
        return first.matches() ? first.group(4) : lines.getFirst();
    }

    String format(boolean raw) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(raw ? line : SafeText.logLine(line)).append('\n');
        }
        return text.toString();
    }
}
