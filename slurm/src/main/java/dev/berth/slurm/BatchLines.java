package dev.berth.slurm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The {@code #SBATCH} lines of a script. */
public final class BatchLines {

    private static final String PREFIX = "#SBATCH";

    /** Berth has fields of its own for these, or decides them itself. */
    private static final Set<String> OWN =
            Set.of(
                    "--job-name",
                    "-J",
                    "--output",
                    "-o",
                    "--error",
                    "-e",
                    "--open-mode",
                    "--chdir",
                    "-D",
                    "--gres",
                    "--gpus",
                    "-G",
                    "--gpus-per-node",
                    "--time",
                    "-t",
                    "--array",
                    "-a",
                    "--requeue",
                    "--no-requeue",
                    "--parsable",
                    "--wait",
                    "-W",
                    "--wrap",
                    "--test-only",
                    "--uid",
                    "--gid",
                    "--nodes",
                    "-N",
                    "--ntasks",
                    "-n",
                    "--export",
                    "--export-file",
                    "--input",
                    "-i",
                    "--hold",
                    "-H",
                    "--begin",
                    "-b");

    private BatchLines() {}

    /** The options of a script as it is: Slurm's own rule is that they come before any command. */
    static List<String> all(String script) {
        var options = new ArrayList<String>();
        for (var line : script.lines().toList()) {
            var text = line.strip();
            if (text.startsWith(PREFIX)
                    && (text.length() == PREFIX.length()
                            || Character.isWhitespace(text.charAt(PREFIX.length())))) {
                options.addAll(words(text.substring(PREFIX.length())));
            } else if (!text.isEmpty() && !text.startsWith("#")) {
                break;
            }
        }
        return options;
    }

    /** A comment ends the line; quotes keep blanks together. */
    private static List<String> words(String text) {
        var words = new ArrayList<String>();
        for (var word : text.strip().split("\\s+")) {
            if (word.startsWith("#")) {
                break;
            }
            if (!word.isEmpty()) {
                words.add(word.replace("\"", "").replace("'", ""));
            }
        }
        return words;
    }

    /** Those that Berth does not know. */
    static List<String> passedOn(String script) {
        var passed = new ArrayList<String>();
        boolean isOwn = false;
        for (var word : all(script)) {
            if (word.startsWith("-")) {
                int equals = word.indexOf('=');
                isOwn = OWN.contains(equals < 0 ? word : word.substring(0, equals));
            }
            if (!isOwn) {
                passed.add(word);
            }
        }
        return passed;
    }
}
