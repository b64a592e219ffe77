package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What users run and used, as far as limits and reservations depend on it.
 *
 * @param ended the use by ended attempts, by principal
 * @param running all running attempts, without workers
 */
public record UserLoads(
        UserGroups groups,
        SortedMap<String, HourlyUsage> ended,
        SortedMap<AttemptId, RunningLoad> running) {

    public static final UserLoads NONE =
            new UserLoads(UserGroups.NONE, new TreeMap<>(), new TreeMap<>());

    public UserLoads {
        ended = Collections.unmodifiableSortedMap(new TreeMap<>(ended));
        running = Collections.unmodifiableSortedMap(new TreeMap<>(running));
    }

    /**
     * A running attempt.
     *
     * @param latestEnd by the time limit of its task; empty without one
     */
    public record RunningLoad(
            Owner owner, int gpuCount, Instant since, Optional<Instant> latestEnd) {

        /** GPU-seconds of the last day. */
        double lastDay(Instant now) {
            var time = Duration.between(since, now);
            var counted = time.compareTo(HourlyUsage.WINDOW) > 0 ? HourlyUsage.WINDOW : time;
            return gpuCount * Math.max(0, counted.toMillis()) / 1000.0;
        }
    }
}
