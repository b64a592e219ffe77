package dev.berth.server.stream;

import java.time.Duration;

/**
 * Time limits of a stream.
 *
 * @param heartbeat sent after this much silence
 * @param deadline a client that has not read for this long is disconnected
 */
public record StreamTimeouts(Duration heartbeat, Duration deadline) {

    public static final StreamTimeouts DEFAULT =
            new StreamTimeouts(Duration.ofSeconds(15), Duration.ofSeconds(10));
}
