package dev.berth.cli.call;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the output of a command goes. A {@code PrintStream} hides failed writes; this class keeps
 * the first one, so that a command does not report success while a full disk swallows its output.
 */
public final class StandardOutput {

    private final PrintStream stream;
    private final Path descriptor;
    private volatile String failure = "";

    /**
     * @param descriptor the link that names the file behind {@code file}
     */
    public StandardOutput(FileOutputStream file, Path descriptor) {
        this.descriptor = descriptor;
        this.stream =
                new PrintStream(
                        new BufferedOutputStream(new WatchedFile(file)),
                        false,
                        // File names are UTF-8 whatever the locale is.
                        StandardCharsets.UTF_8);
    }

    /** The standard output of this process. */
    public static StandardOutput ofProcess() {
        return new StandardOutput(
                new FileOutputStream(FileDescriptor.out), Path.of("/proc/self/fd/1"));
    }

    /** Prints into the output. */
    public PrintStream stream() {
        return stream;
    }

    /** True if the output is a terminal. */
    public boolean isTerminal() {
        // System.console() only reports whether input and output are both terminals, and loads
        // many classes.
        String target = target();
        return target.startsWith("/dev/pts/")
                || target.startsWith("/dev/tty")
                || target.equals("/dev/console");
    }

    /**
     * The reason why output was lost. Empty if all of it was written, and if it went to another
     * program: that one ended because it had read enough, as {@code head} does.
     */
    public Optional<String> loss() {
        stream.flush();
        if (failure.isEmpty()) {
            return Optional.empty();
        }
        String target = target();
        boolean isProgram = target.startsWith("pipe:") || target.startsWith("socket:");
        return isProgram ? Optional.empty() : Optional.of(failure);
    }

    private String target() {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException unreadable) {
            return "";
        }
    }

    private final class WatchedFile extends OutputStream {

        private final FileOutputStream file;

        WatchedFile(FileOutputStream file) {
            this.file = file;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                file.write(bytes, from, length);
            } catch (IOException failed) {
                if (failure.isEmpty()) {
                    failure = String.valueOf(failed.getMessage());
                }
                throw failed;
            }
        }
    }
}
