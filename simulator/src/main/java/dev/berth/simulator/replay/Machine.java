package dev.berth.simulator.replay;

import dev.berth.simulator.cluster.Pool;
import dev.berth.simulator.trace.Job;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The cluster and what runs on it. */
final class Machine<G> {

    private final Pool<G> pool;
    private final NavigableMap<Long, List<G>> byEnd = new TreeMap<>();
    private final List<ScheduledJob> started = new ArrayList<>();

    Machine(Pool<G> pool) {
        this.pool = pool;
    }

    Pool<G> pool() {
        return pool;
    }

    /** The places of running jobs by the time of their end. */
    NavigableMap<Long, List<G>> byEnd() {
        return byEnd;
    }

    List<ScheduledJob> started() {
        return started;
    }

    /** Returns the place of the job. */
    G start(Job job, long nowS) {
        var place = pool.choose(job.need());
        pool.take(place);
        byEnd.computeIfAbsent(nowS + job.durationS(), _ -> new ArrayList<>(1)).add(place);
        started.add(new ScheduledJob(job, nowS));
        return place;
    }

    void releaseEnded(long nowS) {
        while (!byEnd.isEmpty() && byEnd.firstKey() <= nowS) {
            byEnd.pollFirstEntry().getValue().forEach(pool::release);
        }
    }
}
