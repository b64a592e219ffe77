package dev.berth.cli.command.task;

import dev.berth.cli.text.ShellWords;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The {@code #SBATCH} lines of a script. The server turns them into fields; here only those count
 * for which the client would send a default of its own.
 */
final class BatchLines {

    private static final String DIRECTIVE = "#SBATCH";

    private BatchLines() {}

    static @Nullable String jobName(String script) {
        return value(script, "--job-name", "-J");
    }

    static @Nullable String directory(String script) {
        return value(script, "--chdir", "-D");
    }

    /** True if the script makes several tasks. */
    static boolean isArray(String script) {
        return value(script, "--array", "-a") != null;
    }

    private static @Nullable String value(String script, String name, String shortName) {
        String found = null;
        for (String line : script.split("\n")) {
            String text = line.strip();
            if (text.startsWith(DIRECTIVE)) {
                String value = value(words(text.substring(DIRECTIVE.length())), name, shortName);
                found = value == null ? found : value;
            } else if (!text.isEmpty() && !text.startsWith("#")) {
                break;
            }
        }
        return found;
    }

    private static List<String> words(String line) {
        try {
            return ShellWords.split(line);
        } catch (IllegalArgumentException unreadable) {
            return List.of();
        }
    }

    private static @Nullable String value(List<String> words, String name, String shortName) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.startsWith(name + "=")) {
                return word.substring(name.length() + 1);
            }
            if (word.equals(name) || word.equals(shortName)) {
                return i + 1 < words.size() ? words.get(i + 1) : null;
            }
            if (word.startsWith(shortName) && word.length() > shortName.length()) {
                return word.substring(shortName.length());
            }
        }
        return null;
    }
}
