package dev.berth.server.metrics;

import dev.berth.engine.State;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How things are when somebody asks.
 *
 * @param priorities how many wait in each class
 * @param longestWait of those who wait for a card or their turn
 * @param isStarting whether tasks are started at all
 * @param isStoring whether the last commit was kept
 * @param diskFreeBytes where the logs of tasks are written
 */
public record Look(
        State state,
        Instant now,
        Map<String, Integer> priorities,
        Duration longestWait,
        boolean isStarting,
        boolean isStoring,
        OptionalLong diskFreeBytes,
        Listening listening) {

    public Look {
        priorities = Collections.unmodifiableMap(new LinkedHashMap<>(priorities));
    }

    /**
     * Those who follow the events.
     *
     * @param lag how far behind the commits they are kept
     */
    public record Listening(int clients, Duration lag) {}
}
