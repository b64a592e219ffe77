package dev.berth.simulator.replay;

import dev.berth.simulator.cluster.Pool;
import dev.berth.simulator.trace.Job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The rules of the policies word by word, without any structure that makes them fast. */
final class LiteralReplay<G> {

    private record Running<P>(long endS, P place) {}

    private final Pool<G> pool;
    private final Policy policy;
    private final List<Running<G>> running = new ArrayList<>();
    private final List<Job> queue = new ArrayList<>();
    private final Map<Integer, Long> starts = new TreeMap<>();

    LiteralReplay(Pool<G> pool, Policy policy) {
        this.pool = pool;
        this.policy = policy;
    }

    /** The starts by row. */
    Map<Integer, Long> run(List<Job> jobs) {
        var accepted = jobs.stream().filter(job -> pool.fits(job.need())).toList();
        long last = accepted.stream().mapToLong(job -> job.submitS() + job.durationS()).sum();
        for (long now = 0; now <= last; now++) {
            long instant = now;
            var ended = running.stream().filter(one -> one.endS() == instant).toList();
            var submitted = accepted.stream().filter(job -> job.submitS() == instant).toList();
            if (!ended.isEmpty() || !submitted.isEmpty()) {
                running.removeAll(ended);
                ended.forEach(one -> pool.release(one.place()));
                queue.addAll(submitted);
                queue.sort(policy.order());
                pass(now);
            }
        }
        return starts;
    }

    private void pass(long now) {
        boolean skips = policy == Policy.FIFO_SKIP || policy == Policy.SJF_SKIP;
        for (int at = 0; at < queue.size(); ) {
            if (pool.fits(queue.get(at).need())) {
                start(queue.remove(at), now);
            } else if (skips) {
                at++;
            } else {
                break;
            }
        }
        if (policy == Policy.EASY && !queue.isEmpty()) {
            backfill(now);
        }
    }

    private void backfill(long now) {
        var head = queue.getFirst();
        long reserved =
                running.stream()
                        .mapToLong(Running::endS)
                        .sorted()
                        .filter(end -> freeAt(end).fits(head.need()))
                        .findFirst()
                        .orElseThrow();
        for (int at = 1; at < queue.size(); ) {
            var job = queue.get(at);
            if (pool.fits(job.need()) && mayPass(job, head, now, reserved)) {
                start(queue.remove(at), now);
            } else {
                at++;
            }
        }
    }

    private boolean mayPass(Job job, Job head, long now, long reserved) {
        if (now + job.durationS() <= reserved) {
            return true;
        }
        var then = freeAt(reserved);
        then.take(pool.choose(job.need()));
        return then.fits(head.need());
    }

    private Pool<G> freeAt(long time) {
        var then = pool.copy();
        running.stream()
                .filter(one -> one.endS() <= time)
                .forEach(one -> then.release(one.place()));
        return then;
    }

    private void start(Job job, long now) {
        var place = pool.choose(job.need());
        pool.take(place);
        running.add(new Running<>(now + job.durationS(), place));
        starts.put(job.row(), now);
    }
}
