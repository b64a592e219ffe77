package dev.berth.engine;

import dev.berth.core.line.ByPriority;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;

import java.time.Duration;

/**
 * What a lab decides about its queue.
 *
 * @param mostOfOneUser so many tasks of one user may wait at the same time, drafts included
 * @param longWait a longer wait is told of
 * @param poll the longest that the engine sleeps when nothing happens
 * @param tuning what holds at the start
 */
public record Queueing(
        Order order, int mostOfOneUser, Duration longWait, Duration poll, Tuning tuning) {

    public Queueing(Order order, int mostOfOneUser, Duration longWait, Duration poll) {
        this(order, mostOfOneUser, longWait, poll, Tuning.USUAL);
    }

    public static final Queueing USUAL =
            new Queueing(
                    new ByPriority(People.EQUAL),
                    Integer.MAX_VALUE,
                    Duration.ofDays(1),
                    Duration.ofMillis(100));
}
