package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.Cells;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.ShellWords;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a task is to run.
 *
 * @param name what to call it if nobody says
 * @param text bash's input
 * @param options those that the script itself asks for, on its {@code #BERTH} lines
 */
record Script(String name, String text, Options options) {

    private static final String DIRECTIVE = "#BERTH";
    private static final Syntax DIRECTIVES = new Syntax(DIRECTIVE, "", "", TaskOptions.ALL);

    /** Far beyond what the server takes, and little enough to read. */
    private static final int MOST_BYTES = 16 * 1024 * 1024;

    private static final int NAME_WIDTH = 40;

    /** One word is script text; several are the words of one command. */
    static Script ofCommand(List<String> words) {
        String text = words.size() == 1 ? words.getFirst() : ShellWords.join(words);
        if (text.isBlank()) {
            throw new UsageError("there is no command after --");
        }
        return new Script(nameOf(text), typed(text), Options.parse(DIRECTIVES, List.of()));
    }

    /**
     * Where the locale is not UTF-8 the JVM replaces what it cannot decode, and the text is no
     * longer what was typed.
     */
    static String typed(String text) {
        if (text.indexOf('\ufffd') >= 0) {
            throw new Refused(
                    "'" + Clean.line(text) + "' cannot be read in this locale: set LC_ALL=C.UTF-8");
        }
        return text;
    }

    /** A file, or standard input for {@code -}. */
    static Script ofFile(String file, Surroundings around) {
        boolean input = file.equals("-");
        String shown = input ? "standard input" : Clean.line(file);
        Path path = around.cwd().resolve(file);
        if (!input && !Files.isRegularFile(path)) {
            throw new UsageError("no file '" + shown + "' here (a command goes after --)");
        }
        String text;
        try (InputStream from = input ? around.in() : Files.newInputStream(path)) {
            text = decoded(from.readNBytes(MOST_BYTES + 1), shown);
        } catch (IOException unreadable) {
            throw new Refused("cannot read " + shown + ": " + unreadable.getMessage());
        }
        if (text.isBlank()) {
            throw new Refused(shown + " is empty");
        }
        String[] lines = text.split("\n", -1);
        checkInterpreter(lines[0], shown);
        String name = input ? nameOf(text) : String.valueOf(path.getFileName());
        return new Script(name, text, directives(lines, shown, around));
    }

    private static String decoded(byte[] bytes, String shown) {
        if (bytes.length > MOST_BYTES) {
            throw new Refused(shown + " is larger than " + (MOST_BYTES >> 20) + " MiB");
        }
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.indexOf('\0') < 0) {
                return text;
            }
        } catch (CharacterCodingException notText) {
            // Said below, with the other ways of not being text.
        }
        throw new Refused(shown + " is not a script: it is not UTF-8 text");
    }

    /** It will be bash's input, so a script of another language must be run, not submitted. */
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
                    throw new Refused(
                            shown
                                    + " is not a shell script ("
                                    + Clean.line(firstLine)
                                    + "): submit a command that runs it, after --");
        }
    }

    private static Options directives(String[] lines, String shown, Surroundings around) {
        List<String> all = new ArrayList<>();
        boolean begun = false;
        for (int index = 0; index < lines.length; index++) {
            String line = lines[index];
            boolean directive =
                    line.startsWith(DIRECTIVE)
                            && (line.length() == DIRECTIVE.length()
                                    || line.charAt(DIRECTIVE.length()) <= ' ');
            if (directive && begun) {
                around.note(
                        shown
                                + " line "
                                + (index + 1)
                                + ": #BERTH after the first command is not read");
            } else if (directive) {
                all.addAll(words(line, shown + " line " + (index + 1)));
            }
            begun |= !line.isBlank() && !line.startsWith("#");
        }
        return Options.parse(DIRECTIVES, all);
    }

    /** The words of one line, each line being right by itself. */
    private static List<String> words(String line, String where) {
        try {
            List<String> words = ShellWords.split(line.substring(DIRECTIVE.length()));
            Options options = Options.parse(DIRECTIVES, words);
            options.expectNoArguments();
            if (options.has(Option.HOME) || options.has(Option.HELP)) {
                throw new UsageError("only options of the task can stand in a script");
            }
            return words;
        } catch (UsageError | IllegalArgumentException error) {
            throw new UsageError(where + ": " + error.getMessage());
        }
    }

    /** The first line that does something, as far as it is short. */
    private static String nameOf(String text) {
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
        return Cells.clip(name.toString().strip(), NAME_WIDTH);
    }
}
