package dev.berth.server.stream;

import dev.berth.http.Caller;
import dev.berth.http.ResponseBody;
import dev.berth.http.StreamOutput;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.wire.LogLines;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** The event stream of one client. */
public final class EventStream implements ResponseBody.StreamWriter {

    /** More bytes in one write would only wait in the kernel's buffer. */
    private static final int MAX_WRITE_BYTES = 64 << 10;

    /** A client that missed more events reloads its lists faster. */
    private static final long MAX_MISSED = 10_000;

    private final EventBroadcast broadcast;
    private final StreamTimeouts timing;
    private final StreamOptions wish;
    private long seen;
    private boolean isBehind;

    /**
     * What the client asked for.
     *
     * @param lastSeen the event to continue after
     * @param reader decides what the stream shows
     * @param log a log to follow in the same stream
     * @param isAuthenticated false once the caller's token is revoked or has expired
     */
    public record StreamOptions(
            OptionalLong lastSeen,
            Caller reader,
            Optional<LogFollower> log,
            BooleanSupplier isAuthenticated) {}

    public EventStream(EventBroadcast broadcast, StreamTimeouts timing, StreamOptions wish) {
        this.broadcast = broadcast;
        this.timing = timing;
        this.wish = wish;
    }

    @Override
    public void writeTo(StreamOutput outlet) throws IOException, InterruptedException {
        try (var seat = broadcast.subscribe()) {
            outlet.send(opening());
            long lastSentNanos = System.nanoTime();
            while (!broadcast.isClosed() && wish.isAuthenticated().getAsBoolean()) {
                var bytes = collect(seat);
                long silentNanos = System.nanoTime() - lastSentNanos;
                long left = timing.heartbeat().toNanos() - silentNanos;
                if (bytes.length > 0 || left <= 0) {
                    outlet.send(bytes.length > 0 ? bytes : SseMessage.HEARTBEAT);
                    lastSentNanos = System.nanoTime();
                } else if (!isBehind) {
                    seat.await(seen, Math.min(left, nanosUntilLogRead()));
                }
            }
        } catch (StoreFailure failure) {
            // The client reconnects with its last event and sees the failure if it persists.
            throw new IOException("cannot be sent: " + failure.getMessage(), failure);
        }
    }

    private long nanosUntilLogRead() {
        return wish.log()
                .filter(log -> !log.isEnded())
                .map(LogFollower::pauseNanos)
                .orElse(Long.MAX_VALUE);
    }

    private byte[] opening() {
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(SseMessage.RETRY);
        long now = broadcast.lastCommitted();
        long asked = wish.lastSeen().orElse(-1);
        // A sequence number in the future comes from another home or from a database that was
        // restored.
        var isKnown = asked >= 0 && asked <= now && now - asked <= MAX_MISSED;
        seen = isKnown ? asked : now;
        if (!isKnown) {
            bytes.writeBytes(SseMessage.resync(now));
        }
        return bytes.toByteArray();
    }

    private byte[] collect(EventBroadcast.Subscription seat) throws StoreFailure {
        var bytes = new ByteArrayOutputStream();
        switch (broadcast.after(seen, MAX_WRITE_BYTES, wish.reader())) {
            case MessageBuffer.Batch.Messages(var list, long upTo) -> {
                list.forEach(bytes::writeBytes);
                seen = upTo;
                isBehind = false;
            }
            case MessageBuffer.Batch.Dropped _ -> catchUp(bytes);
        }
        seat.newViews().forEach(bytes::writeBytes);
        if (wish.log().isPresent()) {
            readLog(wish.log().get())
                    .ifPresent(lines -> bytes.writeBytes(SseMessage.of("log", lines)));
        }
        return bytes.toByteArray();
    }

    /** An unreadable log must not stop the rest of the stream. */
    private static Optional<LogLines> readLog(LogFollower log) throws StoreFailure {
        try {
            return log.readNew();
        } catch (LogUnreadable failure) {
            return Optional.of(log.fail(failure));
        }
    }

    /** Reads pages from the store until the client has reached the buffered messages again. */
    private void catchUp(ByteArrayOutputStream bytes) throws StoreFailure {
        isBehind = true;
        var page =
                broadcast.lastCommitted() - seen > MAX_MISSED
                        ? new java.util.TreeMap<Long, EventMessage>()
                        : broadcast.olderMessages(seen);
        if (page.isEmpty()) {
            seen = broadcast.lastCommitted();
            bytes.writeBytes(SseMessage.resync(seen));
            return;
        }
        page.values().forEach(message -> bytes.writeBytes(message.bytesFor(wish.reader())));
        seen = page.lastKey();
    }
}
