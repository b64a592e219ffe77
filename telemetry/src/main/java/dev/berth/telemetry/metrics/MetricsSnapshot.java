package dev.berth.telemetry.metrics;

import dev.berth.engine.EngineState;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The state at the time of a scrape.
 *
 * @param waitingByPriority number of waiting tasks by priority class
 * @param longestWait of tasks that wait for a GPU or their turn
 * @param isSchedulerRunning the scheduler starts tasks
 * @param isStoreUp the last commit succeeded
 * @param diskFreeBytes on the disk of the task logs
 */
public record MetricsSnapshot(
        EngineState state,
        Instant now,
        Map<String, Integer> waitingByPriority,
        Duration longestWait,
        boolean isSchedulerRunning,
        boolean isStoreUp,
        OptionalLong diskFreeBytes,
        StreamClients streamClients) {

    public MetricsSnapshot {
        waitingByPriority = Collections.unmodifiableMap(new LinkedHashMap<>(waitingByPriority));
    }

    /**
     * Clients of the event stream.
     *
     * @param lag delay behind the commits
     */
    public record StreamClients(int clients, Duration lag) {}
}
