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
    private final NavigableMap<Long, List<Running<G>>> byEnd = new TreeMap<>();
    private final List<ScheduledJob> started = new ArrayList<>();

    record Running<P>(Job job, P place) {}

    Machine(Pool<G> pool) {
        this.pool = pool;
    }

    Pool<G> pool() {
        return pool;
    }

    /** The running jobs by the time of their end. */
    NavigableMap<Long, List<Running<G>>> byEnd() {
        return byEnd;
    }

    List<ScheduledJob> started() {
        return started;
    }

    /** Returns the place of the job. */
    G start(Job job, long nowS) {
        var place = pool.choose(job.need());
        pool.take(place);
        byEnd.computeIfAbsent(nowS + job.durationS(), _ -> new ArrayList<>(1))
                .add(new Running<>(job, place));
        started.add(new ScheduledJob(job, nowS));
        return place;
    }

    /** Frees the places of the jobs that end now, and returns these jobs. */
    List<Job> releaseEnded(long nowS) {
        var ended = byEnd.remove(nowS);
        if (ended == null) {
            return List.of();
        }
        ended.forEach(running -> pool.release(running.place()));
        return ended.stream().map(Running::job).toList();
    }
}
