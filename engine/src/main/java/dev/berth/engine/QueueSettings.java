package dev.berth.engine;

import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;

import java.time.Duration;

/**
 * Settings of the queue.
 *
 * @param maxWaitingPerUser tasks of one user that may wait at the same time, drafts included
 * @param longWaitLimit a longer wait raises an alert
 * @param pollInterval the longest sleep of the engine without commands
 * @param maxTaskBytes memory that the unfinished tasks may take; more submits are refused
 * @param attemptSettings initial values; they can be changed while the server runs
 */
public record QueueSettings(
        QueueOrder order,
        int maxWaitingPerUser,
        Duration longWaitLimit,
        Duration pollInterval,
        AttemptSettings attemptSettings,
        long maxTaskBytes) {

    public QueueSettings(QueueOrder order, int mostOfOneUser, Duration longWait, Duration poll) {
        this(order, mostOfOneUser, longWait, poll, AttemptSettings.DEFAULT, Long.MAX_VALUE);
    }

    /** Without a limit of memory. */
    public QueueSettings(
            QueueOrder order,
            int mostOfOneUser,
            Duration longWait,
            Duration poll,
            AttemptSettings attempts) {
        this(order, mostOfOneUser, longWait, poll, attempts, Long.MAX_VALUE);
    }

    public static final QueueSettings DEFAULT =
            new QueueSettings(
                    new PriorityOrder(UserWeights.EQUAL),
                    Integer.MAX_VALUE,
                    Duration.ofDays(1),
                    Duration.ofMillis(100));
}
