package dev.berth.simulator.replay;

import dev.berth.simulator.cluster.Pool;
import dev.berth.simulator.replay.WaitingJobs.SameNeed;
import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;

/**
 * Starts the head while it fits. A blocked head gets a reservation at the earliest time at which it
 * will fit; a job behind it starts if it has ended by then, or if the head still fits beside it.
 */
final class EasyPass<G> implements SchedulingPass {

    private static final long ANY_LENGTH = ShortestFinder.ABSENT - 1;

    private final Machine<G> machine;
    private final WaitingJobs waiting;
    private @Nullable Reservation<G> reservation;

    EasyPass(Machine<G> machine, WaitingJobs waiting) {
        this.machine = machine;
        this.waiting = waiting;
    }

    /**
     * @param then what is free at that time
     */
    private record Reservation<G>(int head, JobNeed need, long startS, Pool<G> then) {

        /** Whether the head still fits if the place stays taken. */
        boolean fitsBeside(G place) {
            then.take(place);
            boolean fits = then.fits(need);
            then.release(place);
            return fits;
        }
    }

    @Override
    public void submitted(Job job) {
        waiting.add(job);
    }

    @Override
    public void run(long nowS) {
        int head = BlockingPass.startHeads(machine, waiting, nowS);
        if (head != WaitingJobs.NONE) {
            backfill(reservation(head), nowS);
        }
    }

    /**
     * Calculated once for each blocked head: run times are exact and no job that passes delays the
     * head, so its start does not move.
     */
    private Reservation<G> reservation(int head) {
        var known = reservation;
        if (known != null && known.head() == head) {
            return known;
        }
        var need = waiting.job(head).need();
        var then = machine.pool().copy();
        for (var end : machine.byEnd().entrySet()) {
            end.getValue().forEach(running -> then.release(running.place()));
            if (then.fits(need)) {
                var made = new Reservation<>(head, need, end.getKey(), then);
                reservation = made;
                return made;
            }
        }
        throw new IllegalStateException("a job does not fit on the empty cluster");
    }

    private void backfill(Reservation<G> head, long nowS) {
        var fitting = new ArrayList<SameNeed>(waiting.byNeed());
        fitting.removeIf(same -> same.first(head.head(), ANY_LENGTH) == WaitingJobs.NONE);
        int last = head.head();
        while (true) {
            fitting.removeIf(same -> !machine.pool().fits(same.need()));
            int next = WaitingJobs.NONE;
            for (var same : fitting) {
                int candidate = candidate(same, last, head, nowS);
                if (candidate != WaitingJobs.NONE
                        && (next == WaitingJobs.NONE || candidate < next)) {
                    next = candidate;
                }
            }
            if (next == WaitingJobs.NONE) {
                return;
            }
            start(next, head, nowS);
            last = next;
        }
    }

    /** The first job of this need behind the last one that may start now. */
    private int candidate(SameNeed same, int last, Reservation<G> head, long nowS) {
        int any = same.first(last, ANY_LENGTH);
        if (any == WaitingJobs.NONE) {
            return any;
        }
        int shortOne = same.first(last, head.startS() - nowS);
        return any == shortOne || !head.fitsBeside(machine.pool().choose(same.need()))
                ? shortOne
                : any;
    }

    private void start(int rank, Reservation<G> head, long nowS) {
        waiting.remove(rank);
        var job = waiting.job(rank);
        var place = machine.start(job, nowS);
        if (nowS + job.durationS() > head.startS()) {
            head.then().take(place);
        }
    }
}
