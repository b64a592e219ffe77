package dev.berth.node.log;

import dev.berth.port.read.LogFiles.LogSearch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Counts the matching lines of a log and keeps the places of those that were asked for. */
final class MatchList {
    private static final int CHARS_BEFORE = 80;
    private static final int MAX_CHARS = 300;

    private final LogSearch search;
    private final Deque<Place> kept = new ArrayDeque<>();
    private long total;
    private long first;

    MatchList(LogSearch search) {
        this.search = search;
    }

    /** A matching line: its number from 1, and the offset of its first byte. */
    record Place(long line, long offset) {}

    void add(long line, long offset) {
        total++;
        if (search.before().isPresent()) {
            addBefore(line, offset);
        } else if (offset < search.from()) {
            first++;
        } else if (kept.size() < search.limit()) {
            kept.add(new Place(line, offset));
        }
    }

    private void addBefore(long line, long offset) {
        if (offset >= search.before().getAsLong()) {
            return;
        }
        kept.add(new Place(line, offset));
        if (kept.size() > search.limit()) {
            kept.removeFirst();
            first++;
        }
    }

    long total() {
        return total;
    }

    long first() {
        return first;
    }

    List<Place> places() {
        return List.copyOf(kept);
    }

    /** A part of a long line that contains the match. */
    static String around(String line, ByteSearch text) {
        if (line.length() <= MAX_CHARS) {
            return line;
        }
        var bytes = line.getBytes(StandardCharsets.UTF_8);
        int hit = Math.max(0, text.find(bytes, 0, bytes.length));
        int at = new String(bytes, 0, hit, StandardCharsets.UTF_8).length();
        int from = Math.clamp(at - CHARS_BEFORE, 0, line.length() - MAX_CHARS);
        return line.substring(from, from + MAX_CHARS);
    }
}
