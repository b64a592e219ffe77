package dev.berth.runs;

import dev.berth.files.AtomicFile;
import dev.berth.files.RotatingLogFile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * The log of one run, which other programs may also write. Lines that cannot be written are kept in
 * memory, up to a limit.
 */
final class RunLog {

    private static final long FILE_BYTES = 10 << 20;
    private static final int FILES_KEPT = 5;
    private static final int MAX_WAITING = 1000;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSxxx")
                    .withZone(ZoneId.systemDefault());

    private final long run;
    private final Deque<String> waiting = new ArrayDeque<>();
    private int lost;

    RunLog(long run) {
        this.run = run;
    }

    void add(Instant at, String message) {
        put(prefix(at) + withoutControl(message) + "\n");
    }

    /** Text of users may contain line breaks and escape sequences; a log line must not. */
    static String withoutControl(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    /**
     * @param lines each with a line end
     */
    void addBlock(Instant at, String title, String lines) {
        put(prefix(at) + title + "\n" + lines);
    }

    private String prefix(Instant at) {
        return TIME.format(at) + " run " + run + " ";
    }

    private void put(String text) {
        waiting.add(text);
        if (waiting.size() > MAX_WAITING) {
            waiting.remove();
            lost++;
        }
    }

    boolean isWritten() {
        return waiting.isEmpty();
    }

    /** Opened for each write: if it was moved or deleted, it is created again. */
    void write(Path file) throws IOException {
        if (isWritten()) {
            return;
        }
        AtomicFile.createDirectory(file.toAbsolutePath().resolveSibling(""));
        try (var text = new RotatingLogFile(file, FILE_BYTES, FILES_KEPT)) {
            if (lost > 0) {
                text.append("run " + run + ": " + lost + " earlier lines could not be written");
                lost = 0;
            }
            while (!waiting.isEmpty()) {
                text.write(waiting.element());
                waiting.remove();
            }
        }
    }
}
