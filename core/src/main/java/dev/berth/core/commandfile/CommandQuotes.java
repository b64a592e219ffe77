package dev.berth.core.commandfile;

import java.util.Optional;

/**
 * Double quotes around a whole command. Inside, {@code \"} is a quote. Backslashes before a quote
 * escape pairwise, so that a command may also end in a backslash; elsewhere they are literal.
 */
final class CommandQuotes {
    private CommandQuotes() {}

    /** The content, if the whole line is one quoted string. */
    static Optional<String> unquote(String line) {
        if (line.length() < 2 || line.charAt(0) != '"') {
            return Optional.empty();
        }
        var inside = new StringBuilder(line.length());
        int backslashes = 0;
        for (int i = 1; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\') {
                backslashes++;
                continue;
            }
            inside.repeat('\\', c == '"' ? backslashes / 2 : backslashes);
            if (c == '"' && backslashes % 2 == 0) {
                return i == line.length() - 1 ? Optional.of(inside.toString()) : Optional.empty();
            }
            inside.append(c);
            backslashes = 0;
        }
        return Optional.empty();
    }

    static String quote(String command) {
        var quoted = new StringBuilder(command.length() + 2).append('"');
        int backslashes = 0;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (c == '"') {
                quoted.repeat('\\', backslashes + 1);
            }
            backslashes = c == '\\' ? backslashes + 1 : 0;
            quoted.append(c);
        }
        return quoted.repeat('\\', backslashes).append('"').toString();
    }

    /** The line that is parsed as this command. */
    static String quoteIfNeeded(String command) {
        boolean isAmbiguous =
                command.isEmpty()
                        || SourceLine.hasOuterSpace(command)
                        || command.charAt(0) == '#'
                        || unquote(command).isPresent()
                        || NumberLine.parse(command).isPresent();
        return isAmbiguous ? quote(command) : command;
    }
}
