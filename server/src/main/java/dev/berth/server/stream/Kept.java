package dev.berth.server.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The last events, each as the message it became, without a gap between {@code from} (not included)
 * and {@code to}. Bounded in number and bytes, whoever reads and however slowly.
 */
final class Kept {

    private static final int MOST = 4096;
    private static final long MOST_BYTES = 8 << 20;

    private final NavigableMap<Long, byte[]> messages = new TreeMap<>();
    private long bytes;
    private long from;
    private long to;

    /** What a client that has seen everything up to some event reads next. */
    sealed interface Next {
        /** Empty when there is nothing new. */
        record Messages(List<byte[]> list, long upTo) implements Next {}

        /** What would come next is kept no more. */
        record TooOld() implements Next {}
    }

    synchronized void restart(long seq) {
        messages.clear();
        bytes = 0;
        from = seq;
        to = seq;
    }

    synchronized long to() {
        return to;
    }

    /**
     * Adds what follows, unless it was restarted meanwhile.
     *
     * @param after what {@link #to} was when these were read
     * @param next by their seq; one that no client is told of has no bytes
     */
    synchronized void add(long after, NavigableMap<Long, byte[]> next) {
        if (after != to || next.isEmpty()) {
            return;
        }
        messages.putAll(next);
        next.values().forEach(message -> bytes += message.length);
        to = next.lastKey();
        while (messages.size() > MOST || bytes > MOST_BYTES) {
            var oldest = messages.pollFirstEntry();
            bytes -= oldest.getValue().length;
            from = oldest.getKey();
        }
    }

    /**
     * @param mostBytes about so much at once
     */
    synchronized Next after(long seen, long mostBytes) {
        if (seen < from) {
            return new Next.TooOld();
        }
        var list = new ArrayList<byte[]>();
        long upTo = seen;
        long size = 0;
        for (var entry : messages.tailMap(seen, false).entrySet()) {
            if (size >= mostBytes) {
                break;
            }
            if (entry.getValue().length > 0) {
                list.add(entry.getValue());
                size += entry.getValue().length;
            }
            upTo = entry.getKey();
        }
        return new Next.Messages(list, upTo);
    }
}
