package dev.berth.notify;

import java.time.Duration;

/**
 * Time limits of notifications.
 *
 * @param connectLimit including name resolution
 * @param answerLimit for one answer
 * @param firstRetryDelay after a failure; doubled with each further failure
 * @param chatInterval between two messages to one chat: robots accept about twenty per minute
 * @param maxEventAge older events are not sent
 * @param stopLimit for all deliveries together when the server stops
 */
public record DeliveryTiming(
        Duration connectLimit,
        Duration answerLimit,
        Duration firstRetryDelay,
        Duration maxRetryDelay,
        Duration chatInterval,
        Duration maxEventAge,
        Duration stopLimit) {

    public static final DeliveryTiming DEFAULT =
            new DeliveryTiming(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(3),
                    Duration.ofDays(1),
                    Duration.ofSeconds(5));

    /**
     * The pause before the next try. It varies by receiver, so that receivers that failed together
     * do not retry together.
     *
     * @param failures in a row
     */
    Duration retryDelay(String receiver, int failures) {
        long doubled = firstRetryDelay.toNanos() << Math.min(failures - 1, 20);
        long whole = Math.min(doubled, maxRetryDelay.toNanos());
        int share = Math.floorMod((receiver + failures).hashCode(), 1000);
        return Duration.ofNanos(whole - whole / 4 * share / 1000);
    }
}
