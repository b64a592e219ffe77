package dev.berth.core.lane;

import java.util.Optional;

/**
 * Double quotes around a whole command. Inside, {@code \"} is a quote; of backslashes before a
 * quote every other one escapes, so that a command may also end in one; elsewhere they are
 * themselves.
 */
final class Quotes {
    private Quotes() {}

    /** What is inside, where the line is one quoted string from end to end. */
    static Optional<String> removed(String line) {
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

    static String around(String command) {
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

    /** The command as a line that is read as that command. */
    static String whereNeeded(String command) {
        boolean isMistaken =
                command.isEmpty()
                        || Line.hasOuterSpace(command)
                        || command.charAt(0) == '#'
                        || removed(command).isPresent()
                        || Numerals.of(command).isPresent();
        return isMistaken ? around(command) : command;
    }
}
