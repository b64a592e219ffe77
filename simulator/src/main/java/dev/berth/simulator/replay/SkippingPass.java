package dev.berth.simulator.replay;

import dev.berth.simulator.replay.WaitingJobs.SameNeed;
import dev.berth.simulator.trace.Job;

import java.util.ArrayList;

/** Starts each job that fits, in order. */
final class SkippingPass implements SchedulingPass {

    private static final long ANY_LENGTH = ShortestFinder.ABSENT - 1;

    private final Machine<?> machine;
    private final WaitingJobs waiting;

    SkippingPass(Machine<?> machine, WaitingJobs waiting) {
        this.machine = machine;
        this.waiting = waiting;
    }

    @Override
    public void submitted(Job job) {
        waiting.add(job);
    }

    @Override
    public void run(long nowS) {
        // What does not fit at one moment of a pass does not fit later in it either.
        var fitting = new ArrayList<SameNeed>(waiting.byNeed());
        fitting.removeIf(same -> same.first(WaitingJobs.NONE, ANY_LENGTH) == WaitingJobs.NONE);
        while (true) {
            fitting.removeIf(same -> !machine.pool().fits(same.need()));
            int next = WaitingJobs.NONE;
            for (var same : fitting) {
                int first = same.first(WaitingJobs.NONE, ANY_LENGTH);
                if (first != WaitingJobs.NONE && (next == WaitingJobs.NONE || first < next)) {
                    next = first;
                }
            }
            if (next == WaitingJobs.NONE) {
                return;
            }
            waiting.remove(next);
            machine.start(waiting.job(next), nowS);
        }
    }
}
