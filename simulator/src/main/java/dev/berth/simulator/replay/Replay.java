package dev.berth.simulator.replay;

import dev.berth.simulator.cluster.Pool;
import dev.berth.simulator.trace.Job;

import java.util.Comparator;
import java.util.List;

/** Runs jobs on virtual time. */
public final class Replay {

    private Replay() {}

    public static <G> Schedule run(List<Job> jobs, Pool<G> pool, PolicyChoice choice) {
        var accepted =
                jobs.stream()
                        .filter(job -> pool.fits(job.need()))
                        .sorted(Policy.bySubmission())
                        .toList();
        var machine = new Machine<>(pool);
        var pass = pass(accepted, machine, choice);
        run(accepted, machine, pass);
        return new Schedule(
                machine.started().stream()
                        .sorted(Comparator.comparingInt(started -> started.job().row()))
                        .toList(),
                jobs.size() - accepted.size(),
                pool.gpus(),
                pass.predictions());
    }

    private static <G> SchedulingPass pass(
            List<Job> jobs, Machine<G> machine, PolicyChoice choice) {
        var waiting = new WaitingJobs(jobs, choice.policy().order());
        return switch (choice.policy()) {
            case FIFO, SJF -> new BlockingPass(machine, waiting);
            case EASY -> new EasyPass<>(machine, waiting);
            case FIFO_SKIP, SJF_SKIP -> new SkippingPass(machine, waiting);
            case BERTH -> new PlannerPass(machine, choice);
        };
    }

    private static void run(List<Job> jobs, Machine<?> machine, SchedulingPass pass) {
        int next = 0;
        while (next < jobs.size() || !machine.byEnd().isEmpty()) {
            long nowS = nextInstant(jobs, next, machine);
            machine.releaseEnded(nowS).forEach(job -> pass.ended(job, nowS));
            while (next < jobs.size() && jobs.get(next).submitS() == nowS) {
                pass.submitted(jobs.get(next++));
            }
            pass.run(nowS);
        }
    }

    private static long nextInstant(List<Job> jobs, int next, Machine<?> machine) {
        long submitS = next < jobs.size() ? jobs.get(next).submitS() : Long.MAX_VALUE;
        return machine.byEnd().isEmpty() ? submitS : Math.min(submitS, machine.byEnd().firstKey());
    }
}
