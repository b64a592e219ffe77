package dev.berth.server.stream;

import dev.berth.http.ResponseBody;
import dev.berth.http.StreamOutput;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs.LogGone;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.io.IOException;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The stream of one log to one client. */
public final class LogStream implements ResponseBody.StreamWriter {

    private final EventBroadcast broadcast;
    private final StreamTimeouts timing;
    private final LogFollower log;
    private final BooleanSupplier isWelcome;

    public LogStream(
            EventBroadcast broadcast,
            StreamTimeouts timing,
            LogFollower log,
            BooleanSupplier isWelcome) {
        this.broadcast = broadcast;
        this.timing = timing;
        this.log = log;
        this.isWelcome = isWelcome;
    }

    @Override
    public void writeTo(StreamOutput outlet) throws IOException, InterruptedException {
        outlet.send(SseMessage.RETRY);
        long lastSentNanos = System.nanoTime();
        try {
            while (!broadcast.isClosed() && isWelcome.getAsBoolean()) {
                var lines = log.readNew();
                if (lines.isPresent()) {
                    outlet.send(SseMessage.of("log", lines.get().nextOffset(), lines.get()));
                } else if (System.nanoTime() - lastSentNanos < timing.heartbeat().toNanos()) {
                    broadcast.pause(log.pauseNanos());
                    continue;
                } else {
                    outlet.send(SseMessage.HEARTBEAT);
                }
                lastSentNanos = System.nanoTime();
                if (log.isEnded()) {
                    outlet.send(SseMessage.of("end", Map.of()));
                    return;
                }
            }
        } catch (LogGone gone) {
            // To come back would not help.
            outlet.send(SseMessage.of("log", log.fail(gone)));
            outlet.send(SseMessage.of("end", Map.of()));
        } catch (StoreFailure | LogUnreadable failure) {
            // The client reconnects with its offset and sees the failure if it persists.
            throw new IOException("cannot be sent: " + failure.getMessage(), failure);
        }
    }
}
