package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.ShellWords;
import dev.berth.cli.text.TerminalWidth;

import java.util.ArrayList;
import java.util.List;

/**
 * The script of a task.
 *
 * @param name the default name of the task
 * @param text the input of bash
 * @param options from the {@code #BERTH} lines of the script
 */
public record TaskScript(String name, String text, ParsedOptions options) {

    private static final String DIRECTIVE = "#BERTH";
    private static final CommandSyntax DIRECTIVES =
            new CommandSyntax(DIRECTIVE, "", "", TaskOptions.FOR_SUBMIT);

    private static final int NAME_WIDTH = 40;

    /** A single argument is script text; several are the words of one command. */
    static TaskScript ofCommand(List<String> words) {
        String text = words.size() == 1 ? words.getFirst() : ShellWords.join(words);
        if (text.isBlank()) {
            throw new UsageError("there is no command after --");
        }
        return new TaskScript(
                nameOf(text), checkDecoded(text), ParsedOptions.parse(DIRECTIVES, List.of()));
    }

    /**
     * If the locale is not UTF-8, the JVM replaces bytes that it cannot decode, and the text
     * differs from what the user typed.
     */
    public static String checkDecoded(String text) {
        if (text.indexOf('\ufffd') >= 0) {
            throw new CommandFailure(
                    "'"
                            + SafeText.line(text)
                            + "' cannot be read in this locale: set LC_ALL=C.UTF-8");
        }
        return text;
    }

    /** Reads a file, or standard input for {@code -}. */
    static TaskScript ofFile(String file, CallContext context) {
        TextInput from = new TextInput(file, context);
        if (!from.exists()) {
            throw new UsageError("no file '" + from.shown() + "' here (a command goes after --)");
        }
        String shown = from.shown();
        String text = from.text("a script");
        String[] lines = text.split("\n", -1);
        checkInterpreter(lines[0], shown);
        ScriptLanguage.requireShell(file, lines, shown);
        String name = from.isFile() ? from.fileName() : nameOf(text);
        return new TaskScript(name, text, directives(lines, shown, context));
    }

    /**
     * bash reads the script as its input, so a script for another interpreter must be submitted as
     * a command.
     */
    private static void checkInterpreter(String firstLine, String shown) {
        if (!firstLine.startsWith("#!")) {
            return;
        }
        List<String> words = ShellWords.split(firstLine.substring(2).replace("'", ""));
        String program = "";
        for (String word : words) {
            program = word.substring(word.lastIndexOf('/') + 1);
            if (!program.equals("env") && !program.startsWith("-")) {
                break;
            }
        }
        switch (program) {
            case "sh", "bash", "dash", "ksh" -> {}
            default ->
                    throw new CommandFailure(
                            shown
                                    + " is not a shell script ("
                                    + SafeText.line(firstLine)
                                    + "): submit a command that runs it, after --");
        }
    }

    private static ParsedOptions directives(String[] lines, String shown, CallContext context) {
        List<String> all = new ArrayList<>();
        boolean isAfterCommand = false;
        for (int index = 0; index < lines.length; index++) {
            String line = lines[index];
            boolean directive =
                    line.startsWith(DIRECTIVE)
                            && (line.length() == DIRECTIVE.length()
                                    || line.charAt(DIRECTIVE.length()) <= ' ');
            if (directive && isAfterCommand) {
                context.printMessage(
                        shown
                                + " line "
                                + (index + 1)
                                + ": #BERTH after the first command is not read");
            } else if (directive) {
                all.addAll(words(line, shown + " line " + (index + 1)));
            }
            isAfterCommand |= !line.isBlank() && !line.startsWith("#");
        }
        return ParsedOptions.parse(DIRECTIVES, all);
    }

    /** The words of one line. Each line is parsed separately, so that an error names its line. */
    private static List<String> words(String line, String where) {
        try {
            List<String> words = ShellWords.split(line.substring(DIRECTIVE.length()));
            ParsedOptions options = ParsedOptions.parse(DIRECTIVES, words);
            options.expectNoArguments();
            if (options.has(CommandOption.HOME)
                    || options.has(CommandOption.SYSTEM)
                    || options.has(CommandOption.HELP)) {
                throw new UsageError("a script can contain only task options");
            }
            return words;
        } catch (UsageError | IllegalArgumentException error) {
            throw new UsageError(where + ": " + error.getMessage());
        }
    }

    /** The first line with a command, shortened. */
    static String nameOf(String text) {
        String first = "";
        for (String line : text.split("\n")) {
            first = line.strip();
            if (!first.isEmpty() && !first.startsWith("#")) {
                break;
            }
        }
        StringBuilder name = new StringBuilder();
        first.codePoints()
                .map(point -> Character.isISOControl(point) ? ' ' : point)
                .forEach(name::appendCodePoint);
        return TerminalWidth.clipMiddle(name.toString().strip(), NAME_WIDTH);
    }
}
