package dev.berth.telemetry.metrics;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** GPU-seconds of each user since the server started. */
final class UserGpuTime {

    /** Each user is a time series, and Prometheus keeps every series it has ever scraped. */
    static final int MAX_USERS = 200;

    static final String OTHERS = "other";

    private final Set<String> users = ConcurrentHashMap.newKeySet();
    private final Map<AttemptId, HeldGpus> held = new ConcurrentHashMap<>();
    private final Map<String, Double> endedSeconds = new ConcurrentHashMap<>();
    private final Map<String, Double> reported = new ConcurrentHashMap<>();

    private record HeldGpus(String user, int cards, Instant since) {
        double until(Instant now) {
            return cards * Math.max(0, Duration.between(since, now).toNanos()) / 1e9;
        }
    }

    /** The label for a user. */
    String labelOf(Owner owner) {
        var name = owner.name();
        if (users.contains(name)) {
            return name;
        }
        return users.size() < MAX_USERS && users.add(name) ? name : OTHERS;
    }

    void begin(AttemptId attempt, Owner owner, int cards, Instant at) {
        held.put(attempt, new HeldGpus(labelOf(owner), cards, at));
    }

    void end(AttemptId attempt, Instant at) {
        var gpus = held.remove(attempt);
        if (gpus != null) {
            endedSeconds.merge(gpus.user(), gpus.until(at), Double::sum);
        }
    }

    /**
     * Running attempts count up to now. Never less than an earlier result, because an end and its
     * commit differ slightly in time: Prometheus takes a decrease for a counter reset.
     */
    SortedMap<String, Double> secondsByUser(Instant now) {
        var sums = new TreeMap<>(endedSeconds);
        held.values().forEach(one -> sums.merge(one.user(), one.until(now), Double::sum));
        sums.forEach((user, seconds) -> reported.merge(user, seconds, Math::max));
        return Collections.unmodifiableSortedMap(new TreeMap<>(reported));
    }
}
