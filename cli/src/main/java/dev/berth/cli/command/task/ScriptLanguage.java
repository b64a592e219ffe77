package dev.berth.cli.command.task;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.ShellWords;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Recognises a script that is not for a shell although it has no {@code #!} line. bash would run
 * it: {@code import} of a Python script takes screenshots where ImageMagick is installed.
 */
final class ScriptLanguage {

    /** The first statement of most Python scripts. It is no valid beginning of a shell script. */
    private static final Pattern PYTHON =
            Pattern.compile(
                    "(import [\\w.]+( as \\w+)?(, *[\\w.]+( as \\w+)?)*|from [\\w.]+ import .*"
                            + "|(class|def) \\w+\\(.*:|\"\"\".*|print\\(.*\\)|@\\w[\\w.]*.*)");

    private ScriptLanguage() {}

    /**
     * @param file as typed, or {@code -}
     * @throws CommandFailure with the command to submit instead
     */
    static void requireShell(String file, String[] lines, String shown) {
        if (lines[0].startsWith("#!")) {
            return;
        }
        String interpreter = interpreterByName(file);
        if (interpreter == null && isPython(lines)) {
            interpreter = "python";
        }
        if (interpreter != null) {
            String command =
                    file.equals("-") ? interpreter + " SCRIPT" : commandFor(interpreter, file);
            throw new CommandFailure(
                    shown
                            + " is not a shell script: submit a command that runs it, `berth submit"
                            + " -- "
                            + command
                            + "`; a shell script without a #! line can get one");
        }
    }

    private static String commandFor(String interpreter, String file) {
        return SafeText.line(interpreter + " " + ShellWords.join(List.of(file)));
    }

    private static @Nullable String interpreterByName(String file) {
        String name = file.substring(file.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        return switch (name.substring(Math.max(0, name.lastIndexOf('.')))) {
            case ".py", ".pyw" -> "python";
            case ".ipynb" -> "jupyter execute";
            case ".r" -> "Rscript";
            case ".jl" -> "julia";
            case ".js", ".mjs", ".cjs" -> "node";
            case ".pl" -> "perl";
            case ".rb" -> "ruby";
            case ".lua" -> "lua";
            case ".m" -> "octave";
            default -> null;
        };
    }

    private static boolean isPython(String[] lines) {
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                return PYTHON.matcher(line.strip()).matches();
            }
        }
        return false;
    }
}
