package dev.berth.core.line;

import dev.berth.core.collect.PersistentMap;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How much of the cards each principal has had lately, in GPU-seconds that lose half of their
 * weight in a day.
 */
public record Usage(PersistentMap<String, Account> accounts) {

    public static final Usage NONE = new Usage(PersistentMap.empty());

    public static final Duration HALF_LIFE = Duration.ofHours(24);

    /**
     * What a start counts at once, for each card: without it whoever comes first would be given
     * every card that is free at that moment.
     */
    public static final Duration LEAST = Duration.ofMinutes(1);

    /** What was had by {@code asOf}. */
    public record Account(double gpuSeconds, Instant asOf) {

        double at(Instant now) {
            return gpuSeconds * remaining(Duration.between(asOf, now));
        }
    }

    public double at(String principal, Instant now) {
        return accounts.get(principal).map(account -> account.at(now)).orElse(0.0);
    }

    public Usage with(String principal, Account account) {
        return new Usage(accounts.with(principal, account));
    }

    /** The account after {@code cards} were had for some time up to now. */
    public Account charged(String principal, int cards, Duration time, Instant now) {
        return new Account(at(principal, now) + weighed(cards, time), now);
    }

    /** What somebody has in their hands now. */
    public record Running(String principal, int cards, Instant since) {}

    /** What everybody has had by now, what runs included. */
    public SortedMap<String, Double> by(Instant now, List<Running> running) {
        var used = new TreeMap<String, Double>();
        for (var account : accounts) {
            used.put(account.getKey(), account.getValue().at(now));
        }
        for (var one : running) {
            var time = Duration.between(one.since(), now);
            var counted = time.compareTo(LEAST) < 0 ? LEAST : time;
            used.merge(one.principal(), weighed(one.cards(), counted), Double::sum);
        }
        return used;
    }

    /** Time that has just passed: its first part has already lost some of its weight. */
    public static double weighed(int cards, Duration time) {
        double halfLife = HALF_LIFE.toMillis() / 1000.0;
        return cards * halfLife / Math.log(2) * (1 - remaining(time));
    }

    private static double remaining(Duration age) {
        return Math.pow(2, -Math.max(0, age.toMillis()) / (double) HALF_LIFE.toMillis());
    }
}
