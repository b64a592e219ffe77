package dev.berth.node.shim;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the values of a task back from the scripts that {@link ShimScript} wrote. */
public final class ScriptText {

    private ScriptText() {}

    /** The command of a {@code command.sh}; empty if the script is not of the known form. */
    public static Optional<String> command(String commandScript) {
        var beginning = ShimScript.FIRST_LINE + StartBanner.OF_SHIM;
        if (commandScript.startsWith(beginning)) {
            return Optional.of(commandScript.substring(beginning.length()));
        }
        int banner = commandScript.indexOf(StartBanner.OF_SHELL);
        return banner < 0
                ? Optional.empty()
                : Optional.of(commandScript.substring(banner + StartBanner.OF_SHELL.length()));
    }

    /** The task's variables in a {@code run.sh}; empty if the script is not of the known form. */
    public static Optional<SortedMap<String, String>> environment(String runScript) {
        int start = runScript.indexOf("\n" + ShimScript.START_FUNCTION);
        if (start < 0) {
            return Optional.empty();
        }
        var words = new Words(runScript, start + 1 + ShimScript.START_FUNCTION.length());
        var variables = new TreeMap<String, String>();
        while (!words.isNext(ShimScript.START_CALL)) {
            var name = words.upTo('=');
            var value = name.isEmpty() ? Optional.<String>empty() : words.quoted();
            if (value.isEmpty() || !words.skip(' ')) {
                return Optional.empty();
            }
            variables.put(name.get(), value.get());
        }
        return Optional.of(variables);
    }

    /**
     * The task's variables in a {@code command.sh} of an owner; empty if the script is not of the
     * known form.
     */
    public static Optional<SortedMap<String, String>> ownerEnvironment(String commandScript) {
        var beginning = ShimScript.FIRST_LINE + OwnerScript.BASE_VARIABLES;
        if (!commandScript.startsWith(beginning)) {
            return Optional.empty();
        }
        var words = new Words(commandScript, beginning.length());
        if (words.assignments().isEmpty()) {
            return Optional.empty();
        }
        if (!words.isNext(OwnerScript.TASK_VARIABLES)) {
            return Optional.of(new TreeMap<>());
        }
        return new Words(commandScript, words.at + OwnerScript.TASK_VARIABLES.length())
                .assignments();
    }

    private static final class Words {
        private final String text;
        private int at;

        private Words(String text, int at) {
            this.text = text;
            this.at = at;
        }

        private boolean isNext(String expected) {
            return text.startsWith(expected, at);
        }

        private boolean skip(char expected) {
            return at < text.length() && text.charAt(at++) == expected;
        }

        private Optional<String> upTo(char end) {
            int to = text.indexOf(end, at);
            if (to < 0) {
                return Optional.empty();
            }
            var word = text.substring(at, to);
            at = to + 1;
            return Optional.of(word);
        }

        /** As {@link OwnerScript} writes them, up to what is no blank. */
        private Optional<SortedMap<String, String>> assignments() {
            var variables = new TreeMap<String, String>();
            do {
                var name = upTo('=');
                var value = name.isEmpty() ? Optional.<String>empty() : escaped();
                if (value.isEmpty()) {
                    return Optional.empty();
                }
                variables.put(name.get(), value.get());
            } while (isNext(" ") && skip(' '));
            return Optional.of(variables);
        }

        /** A word as {@link OwnerScript#quoted} writes it. */
        private Optional<String> escaped() {
            if (!skip('$') || !skip('\'')) {
                return Optional.empty();
            }
            var value = new StringBuilder();
            while (at < text.length()) {
                char next = text.charAt(at++);
                if (next == '\'') {
                    return Optional.of(value.toString());
                }
                if (next == '\\' && at < text.length()) {
                    char escaped = text.charAt(at++);
                    next = escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped;
                }
                value.append(next);
            }
            return Optional.empty();
        }

        /** A word as {@link ShimScript#quoted} writes it. */
        private Optional<String> quoted() {
            var value = new StringBuilder();
            if (!skip('\'')) {
                return Optional.empty();
            }
            while (true) {
                var part = upTo('\'');
                if (part.isEmpty()) {
                    return Optional.empty();
                }
                value.append(part.get());
                if (!isNext("\\''")) {
                    return Optional.of(value.toString());
                }
                value.append('\'');
                at += 3;
            }
        }
    }
}
