package dev.berth.runs;

import dev.berth.files.UserPaths;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The log of one run, which other programs may also write. Lines that cannot be written are kept in
 * memory, up to a limit.
 */
final class RunLog {

    private static final int MAX_WAITING = 1000;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSxxx")
                    .withZone(ZoneId.systemDefault());

    private final long run;
    private final Deque<String> waiting = new ArrayDeque<>();
    private int lost;
    private @Nullable RunLogBatch batch;

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
        return waiting.isEmpty() && batch == null;
    }

    /**
     * A write that exceeds its time limit may still end later, so its lines are not written again
     * before it has.
     */
    void write(Path file, UserPaths paths) throws IOException {
        takeBack();
        if (batch != null) {
            throw new IOException(file + " has not answered yet");
        }
        if (waiting.isEmpty()) {
            return;
        }
        var lines = new ArrayList<>(waiting);
        if (lost > 0) {
            lines.addFirst("run " + run + ": " + lost + " earlier lines could not be written\n");
        }
        var next = new RunLogBatch(lines);
        waiting.clear();
        lost = 0;
        batch = next;
        try {
            paths.access(file, () -> next.writeTo(file));
        } finally {
            next.withdraw();
            takeBack();
        }
    }

    /** Keeps the lines that an ended write did not write. */
    private void takeBack() {
        if (batch != null && batch.isEnded()) {
            var newer = List.copyOf(waiting);
            waiting.clear();
            batch.unwritten().forEach(this::put);
            newer.forEach(this::put);
            batch = null;
        }
    }
}
