package dev.berth.simulator.replay;

import dev.berth.simulator.trace.Job;

/** Starts the head while it fits. */
final class BlockingPass implements SchedulingPass {

    private final Machine<?> machine;
    private final WaitingJobs waiting;

    BlockingPass(Machine<?> machine, WaitingJobs waiting) {
        this.machine = machine;
        this.waiting = waiting;
    }

    @Override
    public void submitted(Job job) {
        waiting.add(job);
    }

    @Override
    public void run(long nowS) {
        startHeads(machine, waiting, nowS);
    }

    /** Returns the rank of the head that does not fit, or {@link WaitingJobs#NONE}. */
    static int startHeads(Machine<?> machine, WaitingJobs waiting, long nowS) {
        int head = waiting.head();
        while (head != WaitingJobs.NONE && machine.pool().fits(waiting.job(head).need())) {
            waiting.remove(head);
            machine.start(waiting.job(head), nowS);
            head = waiting.head();
        }
        return head;
    }
}
