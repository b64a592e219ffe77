package dev.berth.server.lane;

import dev.berth.server.log.RotatingText;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * The log of one run, which others may write into too. Lines that cannot be written wait for better
 * times, but not without end.
 */
final class RunLog {

    private static final long FILE_BYTES = 10 << 20;
    private static final int FILES_KEPT = 5;
    private static final int MOST_WAITING = 1000;
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

    void add(Instant at, String news) {
        put(head(at) + plain(news) + "\n");
    }

    /** A user's text may hold line breaks and escape sequences; a log line may not. */
    static String plain(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    /**
     * @param lines each ended
     */
    void addBlock(Instant at, String title, String lines) {
        put(head(at) + title + "\n" + lines);
    }

    private String head(Instant at) {
        return TIME.format(at) + " run " + run + " ";
    }

    private void put(String text) {
        waiting.add(text);
        if (waiting.size() > MOST_WAITING) {
            waiting.remove();
            lost++;
        }
    }

    boolean isWritten() {
        return waiting.isEmpty();
    }

    /** Opened each time: whoever moves or removes it finds it made again. */
    void write(Path file) throws IOException {
        if (isWritten()) {
            return;
        }
        WholeFile.makeDirectory(file.toAbsolutePath().resolveSibling(""));
        try (var text = new RotatingText(file, FILE_BYTES, FILES_KEPT)) {
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
