package dev.berth.findings.log;

/**
 * What loggers and launchers print before the text of a line: times, levels, names, ranks.
 *
 * @param length of the prefix in characters
 * @param speaker the process that printed the line, as a launcher names it; empty if none does
 */
public record LinePrefix(int length, String speaker, LogLevel level) {

    public static final LinePrefix NONE = new LinePrefix(0, "", LogLevel.NONE);

    public static LinePrefix of(String line) {
        return PrefixParser.mayHavePrefix(line) ? new PrefixParser(line).parse() : NONE;
    }

    public String textOf(String line) {
        return line.substring(length);
    }
}
