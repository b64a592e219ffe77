package dev.berth.server.metrics;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What each user has had of the cards since the server started, in GPU-seconds. */
final class CardTime {

    /** Each is a series of its own, and Prometheus keeps every one it has ever seen. */
    static final int MOST_USERS = 200;

    static final String OTHERS = "other";

    private final Set<String> users = ConcurrentHashMap.newKeySet();
    private final Map<AttemptId, Held> held = new ConcurrentHashMap<>();
    private final Map<String, Double> had = new ConcurrentHashMap<>();
    private final Map<String, Double> told = new ConcurrentHashMap<>();

    private record Held(String user, int cards, Instant since) {
        double until(Instant now) {
            return cards * Math.max(0, Duration.between(since, now).toNanos()) / 1e9;
        }
    }

    /** Under which name a user is counted. */
    String label(Owner owner) {
        var name = owner.name();
        if (users.contains(name)) {
            return name;
        }
        return users.size() < MOST_USERS && users.add(name) ? name : OTHERS;
    }

    void begin(AttemptId attempt, Owner owner, int cards, Instant at) {
        held.put(attempt, new Held(label(owner), cards, at));
    }

    void end(AttemptId attempt, Instant at) {
        var mine = held.remove(attempt);
        if (mine != null) {
            had.merge(mine.user(), mine.until(at), Double::sum);
        }
    }

    /**
     * What runs is counted up to now. Never less than was told before, by a hair's breadth between
     * an end and its commit: a counter that falls is one that began anew.
     */
    SortedMap<String, Double> by(Instant now) {
        var sums = new TreeMap<>(had);
        held.values().forEach(one -> sums.merge(one.user(), one.until(now), Double::sum));
        sums.forEach((user, seconds) -> told.merge(user, seconds, Math::max));
        return Collections.unmodifiableSortedMap(new TreeMap<>(told));
    }
}
