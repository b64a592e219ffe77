package dev.berth.cli.text;

import java.util.ArrayList;
import java.util.List;

/** Splits and quotes words as the POSIX shell does. */
public final class ShellWords {

    private ShellWords() {}

    /** Shell text that a shell splits into exactly these words. */
    public static String join(List<String> words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            if (!line.isEmpty()) {
                line.append(' ');
            }
            quote(word, line);
        }
        return line.toString();
    }

    private static void quote(String word, StringBuilder to) {
        if (isBare(word)) {
            to.append(word);
            return;
        }
        to.append('\'');
        for (int at = 0; at < word.length(); at++) {
            char character = word.charAt(at);
            if (character == '\'') {
                // Single quotes allow no escape: close them, escape the quote, open them again.
                to.append("'\\''");
            } else {
                to.append(character);
            }
        }
        to.append('\'');
    }

    /**
     * True if no shell interprets any character of the word. {@code =} is excluded, because it
     * assigns a variable.
     */
    private static boolean isBare(String word) {
        for (int at = 0; at < word.length(); at++) {
            char character = word.charAt(at);
            boolean bare =
                    (character >= 'a' && character <= 'z')
                            || (character >= 'A' && character <= 'Z')
                            || (character >= '0' && character <= '9')
                            || "_-./:,@+".indexOf(character) >= 0;
            if (!bare) {
                return false;
            }
        }
        return !word.isEmpty() && !isReserved(word);
    }

    private static boolean isReserved(String word) {
        return switch (word) {
            case "if",
                    "then",
                    "else",
                    "elif",
                    "fi",
                    "do",
                    "done",
                    "case",
                    "esac",
                    "while",
                    "until",
                    "for",
                    "in",
                    "select",
                    "function",
                    "time",
                    "coproc" ->
                    true;
            default -> false;
        };
    }

    /**
     * The words of one line: single and double quotes group, a backslash takes the next character
     * literally, {@code #} at the start of a word begins a comment. Nothing is expanded.
     *
     * @throws IllegalArgumentException a quote is not closed
     */
    public static List<String> split(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        for (int at = 0; at < line.length(); at++) {
            char character = line.charAt(at);
            if (character == quote) {
                quote = 0;
            } else if (quote == '\'') {
                word.append(character);
            } else if (character == '\\' && at + 1 < line.length()) {
                word.append(line.charAt(++at));
                inWord = true;
            } else if (quote == '"') {
                word.append(character);
            } else if (character == '\'' || character == '"') {
                quote = character;
                inWord = true;
            } else if (character == ' ' || character == '\t' || character == '\r') {
                if (inWord) {
                    words.add(word.toString());
                }
                word.setLength(0);
                inWord = false;
            } else if (character == '#' && !inWord) {
                break;
            } else {
                word.append(character);
                inWord = true;
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("a quote (" + quote + ") is not closed");
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}
