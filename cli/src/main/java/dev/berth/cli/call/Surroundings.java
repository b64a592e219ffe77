package dev.berth.cli.call;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Everything a call can see besides its words.
 *
 * @param terminal whether {@code out} is one
 */
public record Surroundings(
        InputStream in,
        PrintStream out,
        PrintStream err,
        Map<String, String> env,
        Path cwd,
        boolean terminal,
        Time time) {

    private static final int USUAL_WIDTH = 80;

    /**
     * Those of this process.
     *
     * @throws Refused the JVM could not read the name of its directory
     */
    public static Surroundings ofProcess() {
        return new Surroundings(
                System.in,
                // Names are UTF-8 wherever they come from; the locale's idea does not matter.
                stream(FileDescriptor.out),
                stream(FileDescriptor.err),
                System.getenv(),
                here(),
                isTerminal(Path.of("/proc/self/fd/1")),
                Time.SYSTEM);
    }

    /** Colours are for people: on a terminal that can, unless the user says no. */
    public boolean colours() {
        return terminal
                && env.getOrDefault("NO_COLOR", "").isEmpty()
                && !env.getOrDefault("TERM", "").equals("dumb");
    }

    /** Cells in a line, 0 where there is no limit. */
    public int width() {
        try {
            int columns = Integer.parseInt(env.getOrDefault("COLUMNS", ""));
            if (columns > 0) {
                return columns;
            }
        } catch (NumberFormatException notSet) {
            // Shells keep COLUMNS to themselves unless asked: then what is usual must do.
        }
        return terminal ? USUAL_WIDTH : 0;
    }

    /** A line for people, beside the output proper. */
    public void note(String text) {
        err.println("berth: " + text);
        err.flush();
    }

    private static Path here() {
        try {
            return Path.of(System.getProperty("user.dir"));
        } catch (InvalidPathException undecodable) {
            throw new Refused("this directory cannot be read in this locale: set LC_ALL=C.UTF-8");
        }
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor)),
                false,
                StandardCharsets.UTF_8);
    }

    /** The JDK tells only whether input and output are both terminals, and loads much to say it. */
    private static boolean isTerminal(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException unreadable) {
            return false;
        }
    }
}
