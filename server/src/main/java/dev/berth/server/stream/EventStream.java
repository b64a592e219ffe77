package dev.berth.server.stream;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;
import dev.berth.server.http.Content;
import dev.berth.server.http.Outlet;
import dev.berth.wire.LogLines;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** One client of everything live. */
public final class EventStream implements Content.Show {

    /** More in one write would only wait in the kernel. */
    private static final int MOST_BYTES = 64 << 10;

    /** One that missed more is quicker to load its lists anew. */
    private static final long MOST_MISSED = 10_000;

    private final Broadcast broadcast;
    private final Timing timing;
    private final Wish wish;
    private long seen;
    private boolean isBehind;

    /**
     * What the client asked for.
     *
     * @param lastSeen where it wants to go on
     * @param log a log to follow beside the events
     * @param isWelcome whether it may still listen
     */
    public record Wish(
            OptionalLong lastSeen, Optional<LogFollower> log, BooleanSupplier isWelcome) {}

    public EventStream(Broadcast broadcast, Timing timing, Wish wish) {
        this.broadcast = broadcast;
        this.timing = timing;
        this.wish = wish;
    }

    @Override
    public void to(Outlet outlet) throws IOException, InterruptedException {
        try (var seat = broadcast.join()) {
            outlet.send(begin());
            long spoken = System.nanoTime();
            while (!broadcast.isClosed() && wish.isWelcome().getAsBoolean()) {
                var bytes = collect(seat);
                long silent = System.nanoTime() - spoken;
                long left = timing.heartbeat().toNanos() - silent;
                if (bytes.length > 0 || left <= 0) {
                    outlet.send(bytes.length > 0 ? bytes : Message.HEARTBEAT);
                    spoken = System.nanoTime();
                } else if (!isBehind) {
                    seat.await(seen, Math.min(left, untilLog()));
                }
            }
        } catch (StoreFailure failure) {
            // The client comes back with what it has seen, and is told then if it lasts.
            throw new IOException("cannot be told: " + failure.getMessage(), failure);
        }
    }

    private long untilLog() {
        return wish.log()
                .filter(log -> !log.isEnded())
                .map(LogFollower::pauseNanos)
                .orElse(Long.MAX_VALUE);
    }

    private byte[] begin() {
        var hello = new ByteArrayOutputStream();
        hello.writeBytes(Message.HELLO);
        long now = broadcast.seq();
        long asked = wish.lastSeen().orElse(-1);
        // An event that has not happened is of another home, or of a database that was put back.
        var isKnown = asked >= 0 && asked <= now && now - asked <= MOST_MISSED;
        seen = isKnown ? asked : now;
        if (!isKnown) {
            hello.writeBytes(Message.resync(now));
        }
        return hello.toByteArray();
    }

    private byte[] collect(Broadcast.Seat seat) throws StoreFailure {
        var bytes = new ByteArrayOutputStream();
        switch (broadcast.after(seen, MOST_BYTES)) {
            case Kept.Next.Messages(var list, long upTo) -> {
                list.forEach(bytes::writeBytes);
                seen = upTo;
                isBehind = false;
            }
            case Kept.Next.TooOld _ -> catchUp(bytes);
        }
        seat.pictures().forEach(bytes::writeBytes);
        if (wish.log().isPresent()) {
            look(wish.log().get()).ifPresent(lines -> bytes.writeBytes(Message.of("log", lines)));
        }
        return bytes.toByteArray();
    }

    /** A log that cannot be read is no reason to be silent of everything else. */
    private static Optional<LogLines> look(LogFollower log) throws StoreFailure {
        try {
            return log.look();
        } catch (LogUnreadable failure) {
            return Optional.of(log.giveUp(failure));
        }
    }

    /** Page by page from the store, until it is among the kept ones again. */
    private void catchUp(ByteArrayOutputStream bytes) throws StoreFailure {
        isBehind = true;
        var page =
                broadcast.seq() - seen > MOST_MISSED
                        ? new java.util.TreeMap<Long, byte[]>()
                        : broadcast.older(seen);
        if (page.isEmpty()) {
            seen = broadcast.seq();
            bytes.writeBytes(Message.resync(seen));
            return;
        }
        page.values().forEach(bytes::writeBytes);
        seen = page.lastKey();
    }
}
