package dev.berth.findings.log;

import java.util.ArrayList;
import java.util.List;

/**
 * What loggers and launchers print before the text of a line: times, levels, names, ranks.
 *
 * @param length of the prefix in characters
 * @param speaker the process that printed the line, as a launcher names it; empty if none does
 * @param levels several if the output of a logger goes through another one
 */
public record LinePrefix(int length, String speaker, List<LogLevel> levels) {

    public static final LinePrefix NONE = new LinePrefix(0, "", List.of());

    public LinePrefix {
        levels = List.copyOf(levels);
    }

    public static LinePrefix of(String line) {
        var prefix = PrefixParser.mayHavePrefix(line) ? new PrefixParser(line).parse() : NONE;
        return prefix.levels().isEmpty()
                ? LogField.level(prefix.textOf(line))
                        .map(
                                level ->
                                        new LinePrefix(
                                                prefix.length(), prefix.speaker(), List.of(level)))
                        .orElse(prefix)
                : prefix;
    }

    /** Of all lines of a log: some prefixes are known only because other lines have them too. */
    public static List<LinePrefix> ofAll(List<String> lines) {
        var outer = lines.stream().map(LinePrefix::of).toList();
        var texts = new ArrayList<String>();
        for (int i = 0; i < lines.size(); i++) {
            texts.add(outer.get(i).textOf(lines.get(i)));
        }
        var hosts = HostNames.in(texts);
        var found = new ArrayList<LinePrefix>();
        for (int i = 0; i < lines.size(); i++) {
            found.add(outer.get(i).with(hosts.before(texts.get(i)), texts.get(i)));
        }
        return List.copyOf(found);
    }

    /** Extended by the name of a machine before the text, and by the prefix after the name. */
    private LinePrefix with(String host, String text) {
        if (host.isEmpty()) {
            return this;
        }
        int end = Math.min(text.length(), host.length() + ": ".length());
        var rest = text.substring(end);
        var inner = rest.isEmpty() ? NONE : of(rest);
        var all = new ArrayList<>(levels);
        all.addAll(inner.levels());
        return new LinePrefix(length + end + inner.length(), speaker + host + inner.speaker(), all);
    }

    public String textOf(String line) {
        return line.substring(length);
    }

    /** Of the logger next to the text. */
    public LogLevel level() {
        return levels.isEmpty() ? LogLevel.NONE : levels.getLast();
    }

    public LogLevel outerLevel() {
        return levels.isEmpty() ? LogLevel.NONE : levels.getFirst();
    }

    /** The level if that of the outer logger says nothing. */
    public LogLevel innerLevel() {
        return levels.size() > 1 ? levels.getLast() : LogLevel.NONE;
    }
}
