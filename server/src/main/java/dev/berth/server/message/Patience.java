package dev.berth.server.message;

import java.time.Duration;

/**
 * How long things take.
 *
 * @param connect to a receiver, with finding its address
 * @param answer of a receiver
 * @param firstPause after a failure; it doubles with each
 * @param spacing between two messages to one chat, which take about twenty a minute
 * @param backlog what is older is not sent any more
 * @param end of all deliveries together, when the server stops
 */
public record Patience(
        Duration connect,
        Duration answer,
        Duration firstPause,
        Duration longestPause,
        Duration spacing,
        Duration backlog,
        Duration end) {

    public static final Patience USUAL =
            new Patience(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(3),
                    Duration.ofDays(1),
                    Duration.ofSeconds(5));

    /**
     * Before the next try. Receivers that failed together do not come back together.
     *
     * @param failures in a row
     */
    Duration pause(String receiver, int failures) {
        long doubled = firstPause.toNanos() << Math.min(failures - 1, 20);
        long whole = Math.min(doubled, longestPause.toNanos());
        int share = Math.floorMod((receiver + failures).hashCode(), 1000);
        return Duration.ofNanos(whole - whole / 4 * share / 1000);
    }
}
