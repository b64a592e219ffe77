package dev.berth.server.stream;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;
import dev.berth.server.http.Content;
import dev.berth.server.http.Outlet;

import java.io.IOException;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One client of one log. */
public final class LogStream implements Content.Show {

    private final Broadcast broadcast;
    private final Timing timing;
    private final LogFollower log;
    private final BooleanSupplier isWelcome;

    public LogStream(
            Broadcast broadcast, Timing timing, LogFollower log, BooleanSupplier isWelcome) {
        this.broadcast = broadcast;
        this.timing = timing;
        this.log = log;
        this.isWelcome = isWelcome;
    }

    @Override
    public void to(Outlet outlet) throws IOException, InterruptedException {
        outlet.send(Message.HELLO);
        long spoken = System.nanoTime();
        try {
            while (!broadcast.isClosed() && isWelcome.getAsBoolean()) {
                var lines = log.look();
                if (lines.isPresent()) {
                    outlet.send(Message.of("log", lines.get().nextOffset(), lines.get()));
                } else if (System.nanoTime() - spoken < timing.heartbeat().toNanos()) {
                    broadcast.pause(log.pauseNanos());
                    continue;
                } else {
                    outlet.send(Message.HEARTBEAT);
                }
                spoken = System.nanoTime();
                if (log.isEnded()) {
                    outlet.send(Message.of("end", Map.of()));
                    return;
                }
            }
        } catch (StoreFailure | LogUnreadable failure) {
            // The client comes back with its offset, and is told then if it lasts.
            throw new IOException("cannot be told: " + failure.getMessage(), failure);
        }
    }
}
