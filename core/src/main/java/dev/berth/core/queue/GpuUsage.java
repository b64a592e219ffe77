package dev.berth.core.queue;

import dev.berth.core.collect.PersistentMap;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Recent GPU usage of each principal, in GPU-seconds with exponential decay (half-life one day).
 */
public record GpuUsage(PersistentMap<String, Account> accounts) {

    public static final GpuUsage NONE = new GpuUsage(PersistentMap.empty());

    public static final Duration HALF_LIFE = Duration.ofHours(24);

    /**
     * Each start is charged at least this much per GPU. Otherwise the first user would get all GPUs
     * that are free at that moment.
     */
    public static final Duration MIN_CHARGE = Duration.ofMinutes(1);

    /**
     * Usage up to {@code asOf}.
     *
     * @param hours the same without decay, for the last day
     */
    public record Account(double gpuSeconds, Instant asOf, HourlyUsage hours) {

        /** Without hours. */
        public Account(double gpuSeconds, Instant asOf) {
            this(gpuSeconds, asOf, HourlyUsage.NONE);
        }

        double at(Instant now) {
            return gpuSeconds * remaining(Duration.between(asOf, now));
        }
    }

    public double at(String principal, Instant now) {
        return accounts.get(principal).map(account -> account.at(now)).orElse(0.0);
    }

    public HourlyUsage hours(String principal) {
        return accounts.get(principal).map(Account::hours).orElse(HourlyUsage.NONE);
    }

    public GpuUsage with(String principal, Account account) {
        return new GpuUsage(accounts.with(principal, account));
    }

    /** The account after {@code gpuCount} GPUs were used for {@code time} up to now. */
    public Account charged(String principal, int gpuCount, Duration time, Instant now) {
        return new Account(
                at(principal, now) + decayedGpuSeconds(gpuCount, time),
                now,
                hours(principal).plus(gpuCount, now.minus(time), now));
    }

    /** GPUs that a running attempt holds. */
    public record RunningUsage(String principal, int gpuCount, Instant since) {}

    /** Usage of all principals now, including what runs. */
    public SortedMap<String, Double> totals(Instant now, List<RunningUsage> running) {
        var used = new TreeMap<String, Double>();
        for (var account : accounts) {
            used.put(account.getKey(), account.getValue().at(now));
        }
        for (var usage : running) {
            var time = Duration.between(usage.since(), now);
            var counted = time.compareTo(MIN_CHARGE) < 0 ? MIN_CHARGE : time;
            used.merge(
                    usage.principal(), decayedGpuSeconds(usage.gpuCount(), counted), Double::sum);
        }
        return used;
    }

    /** GPU-seconds of the last {@code time}; the older part has already decayed. */
    public static double decayedGpuSeconds(int gpuCount, Duration time) {
        double halfLife = HALF_LIFE.toMillis() / 1000.0;
        return gpuCount * halfLife / Math.log(2) * (1 - remaining(time));
    }

    private static double remaining(Duration age) {
        return Math.pow(2, -Math.max(0, age.toMillis()) / (double) HALF_LIFE.toMillis());
    }
}
