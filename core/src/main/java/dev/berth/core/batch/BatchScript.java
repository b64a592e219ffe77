package dev.berth.core.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the {@code #SBATCH} lines of a script. */
public final class BatchScript {

    private static final String PREFIX = "#SBATCH";

    /** Berth turns these into fields of the task. */
    private static final List<String> FIELDS =
            List.of(
                    "--job-name",
                    "--chdir",
                    "--gres",
                    "--gpus",
                    "--gpus-per-node",
                    "--time",
                    "--array",
                    "--hold",
                    "--export",
                    "--dependency");

    /** Berth decides these itself: a task has one log, one node, and one job for each attempt. */
    private static final List<String> DECIDED =
            List.of(
                    "--output",
                    "--error",
                    "--open-mode",
                    "--requeue",
                    "--no-requeue",
                    "--parsable",
                    "--quiet",
                    "--nodes");

    /** These would change who runs the script, what is run, or whether it is. */
    private static final List<String> REFUSED =
            List.of(
                    "--wrap",
                    "--test-only",
                    "--uid",
                    "--gid",
                    "--export-file",
                    "--input",
                    "--wait",
                    "--clusters",
                    "-M");

    /** What Berth does with an option. */
    public enum Treatment {
        FIELD,
        DECIDED,
        REFUSED,
        PASSED_ON
    }

    private BatchScript() {}

    public static Treatment treatment(BatchOption option) {
        var name = option.name();
        if (FIELDS.contains(name)) {
            return Treatment.FIELD;
        }
        if (DECIDED.contains(name)) {
            return Treatment.DECIDED;
        }
        // A word without a dash divides the lines of several jobs.
        return REFUSED.contains(name) || !name.startsWith("-")
                ? Treatment.REFUSED
                : Treatment.PASSED_ON;
    }

    /** The arguments that {@code sbatch} gets from a script. */
    public static List<String> passedOn(String script) {
        return options(script).stream()
                .filter(option -> treatment(option) == Treatment.PASSED_ON)
                .map(BatchOption::argument)
                .toList();
    }

    /** The options in their order. As in Slurm, the first command ends them. */
    public static List<BatchOption> options(String script) {
        var options = new ArrayList<BatchOption>();
        int number = 0;
        for (var line : script.lines().toList()) {
            number++;
            var text = line.strip();
            if (isBatchLine(text)) {
                options.addAll(options(number, words(text.substring(PREFIX.length()))));
            } else if (!text.isEmpty() && !text.startsWith("#")) {
                break;
            }
        }
        return options;
    }

    private static boolean isBatchLine(String text) {
        return text.startsWith(PREFIX)
                && text.length() > PREFIX.length()
                && Character.isWhitespace(text.charAt(PREFIX.length()));
    }

    private static List<BatchOption> options(int line, List<String> words) {
        var options = new ArrayList<BatchOption>();
        for (int i = 0; i < words.size(); i++) {
            var word = words.get(i);
            int equals = word.indexOf('=');
            boolean isShort = word.startsWith("-") && !word.startsWith("--");
            boolean hasNext = i + 1 < words.size() && !words.get(i + 1).startsWith("-");
            if (isShort && word.length() > 2) {
                options.add(
                        BatchOption.of(line, word.substring(0, 2), Optional.of(word.substring(2))));
            } else if (!isShort && equals > 0) {
                options.add(
                        BatchOption.of(
                                line,
                                word.substring(0, equals),
                                Optional.of(word.substring(equals + 1))));
            } else if (word.startsWith("-") && hasNext) {
                options.add(BatchOption.of(line, word, Optional.of(words.get(++i))));
            } else {
                options.add(BatchOption.of(line, word, Optional.empty()));
            }
        }
        return options;
    }

    /** Quotes keep blanks together; a word that begins with # ends the line. */
    private static List<String> words(String text) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        boolean isWord = false;
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0 ? c == quote : c == '"' || c == '\'') {
                quote = quote == 0 ? c : 0;
                isWord = true;
            } else if (quote == 0 && Character.isWhitespace(c)) {
                if (isWord) {
                    words.add(word.toString());
                    word.setLength(0);
                }
                isWord = false;
            } else if (quote == 0 && !isWord && c == '#') {
                return words;
            } else {
                word.append(c);
                isWord = true;
            }
        }
        if (isWord) {
            words.add(word.toString());
        }
        return words;
    }
}
