package dev.berth.server.stream;

import java.time.Duration;

/**
 * How long a stream may be silent, and its client deaf.
 *
 * @param heartbeat a sign of life after so much silence
 * @param deadline a client that has not read for so long is cut
 */
public record Timing(Duration heartbeat, Duration deadline) {

    public static final Timing USUAL = new Timing(Duration.ofSeconds(15), Duration.ofSeconds(10));
}
