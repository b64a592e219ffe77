package dev.berth.cli.call;

import dev.berth.cli.text.AmountParser;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * The inputs and outputs of one call besides its arguments: streams, environment, directory, clock.
 *
 * @param isTerminal true if {@code out} is a terminal
 * @param terminalWidth the current width of that terminal in cells, or 0 if it is unknown
 */
public record CallContext(
        InputStream in,
        PrintStream out,
        PrintStream err,
        Map<String, String> env,
        Path cwd,
        boolean isTerminal,
        IntSupplier terminalWidth,
        CliClock clock) {

    private static final int DEFAULT_WIDTH = 80;

    /**
     * The context of this process.
     *
     * @param terminalWidth called only if the output is a terminal
     * @throws CommandFailure the JVM could not decode the path of the current directory
     */
    public static CallContext ofProcess(StandardOutput output, IntSupplier terminalWidth) {
        return new CallContext(
                System.in,
                output.stream(),
                errors(),
                System.getenv(),
                currentDirectory(),
                output.isTerminal(),
                terminalWidth,
                CliClock.SYSTEM);
    }

    /** True if the terminal supports colours and the user did not disable them. */
    public boolean usesColours() {
        return isTerminal
                && env.getOrDefault("NO_COLOR", "").isEmpty()
                && !env.getOrDefault("TERM", "").equals("dumb");
    }

    /** The language of the server's sentences, by the locale: {@code zh-CN} or {@code en}. */
    public String language() {
        for (String name : List.of("LC_ALL", "LC_MESSAGES", "LANG")) {
            String locale = env.getOrDefault(name, "");
            if (!locale.isEmpty()) {
                return locale.startsWith("zh") ? "zh-CN" : "en";
            }
        }
        return "en";
    }

    /**
     * The width of the output in cells, or 0 for no limit. It can change between two calls. An
     * exported COLUMNS is used only if there is no terminal to ask: shells keep it outdated.
     */
    public int width() {
        int columns = isTerminal ? terminalWidth.getAsInt() : 0;
        if (columns > 0) {
            return columns;
        }
        int exported = AmountParser.count(env.getOrDefault("COLUMNS", "")).orElse(0);
        return exported == 0 && isTerminal ? DEFAULT_WIDTH : exported;
    }

    /** Prints a message for the user on the error stream, apart from the command's output. */
    public void printMessage(String text) {
        err.println("berth: " + text);
        err.flush();
    }

    private static Path currentDirectory() {
        try {
            return Path.of(System.getProperty("user.dir"));
        } catch (InvalidPathException undecodable) {
            throw new CommandFailure(
                    "this directory cannot be read in this locale: set LC_ALL=C.UTF-8, or"
                            + " rename it if its name is not UTF-8");
        }
    }

    private static PrintStream errors() {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.err)),
                false,
                StandardCharsets.UTF_8);
    }
}
