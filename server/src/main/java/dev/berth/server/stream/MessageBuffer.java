package dev.berth.server.stream;

import dev.berth.http.Caller;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The latest messages, without a gap between {@code from} (exclusive) and {@code to}. Bounded in
 * number and bytes, independent of slow readers.
 */
final class MessageBuffer {

    private static final int MAX_MESSAGES = 4096;
    private static final long MAX_BYTES = 8 << 20;

    private final NavigableMap<Long, EventMessage> messages = new TreeMap<>();
    private long bytes;
    private long from;
    private long to;

    /** What a client reads next. */
    sealed interface Batch {
        /** Empty if there is nothing new. */
        record Messages(List<byte[]> list, long upTo) implements Batch {}

        /** The next message has already been dropped. */
        record Dropped() implements Batch {}
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
     * Appends messages, unless the buffer was restarted since they were read.
     *
     * @param after the value of {@link #to} when they were read
     * @param next by sequence number; an event that clients do not receive has no bytes
     */
    synchronized void add(long after, NavigableMap<Long, EventMessage> next) {
        if (after != to || next.isEmpty()) {
            return;
        }
        messages.putAll(next);
        next.values().forEach(message -> bytes += message.size());
        to = next.lastKey();
        while (messages.size() > MAX_MESSAGES || bytes > MAX_BYTES) {
            var oldest = messages.pollFirstEntry();
            bytes -= oldest.getValue().size();
            from = oldest.getKey();
        }
    }

    /**
     * @param mostBytes approximate size of one result
     */
    synchronized Batch after(long seen, long mostBytes, Caller reader) {
        if (seen < from) {
            return new Batch.Dropped();
        }
        var list = new ArrayList<byte[]>();
        long upTo = seen;
        long size = 0;
        for (var entry : messages.tailMap(seen, false).entrySet()) {
            if (size >= mostBytes) {
                break;
            }
            var bytes = entry.getValue().bytesFor(reader);
            if (bytes.length > 0) {
                list.add(bytes);
                size += bytes.length;
            }
            upTo = entry.getKey();
        }
        return new Batch.Messages(list, upTo);
    }
}
