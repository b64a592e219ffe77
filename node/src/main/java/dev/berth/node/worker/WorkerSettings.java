package dev.berth.node.worker;

import java.time.Duration;

/**
 * How long a worker may be silent.
 *
 * @param pingInterval between two questions whether it is alive
 * @param silenceLimit a worker that has not answered for this time is ended
 * @param loadLimit a worker that has not loaded its model by then is ended
 * @param cancelLimit a worker that has not ended a cancelled task by then is ended
 * @param logCapBytes what the log of one task may take
 */
public record WorkerSettings(
        Duration pingInterval,
        Duration silenceLimit,
        Duration loadLimit,
        Duration cancelLimit,
        long logCapBytes) {

    public static final WorkerSettings DEFAULT =
            new WorkerSettings(
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(15),
                    Duration.ofSeconds(10),
                    1L << 30);
}
