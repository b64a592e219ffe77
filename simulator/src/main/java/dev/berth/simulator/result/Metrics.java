package dev.berth.simulator.result;

import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.replay.ScheduledJob;

/**
 * The figures of a schedule.
 *
 * @param makespanS from the first submit to the last end
 * @param meanJctS mean time from submit to end
 * @param meanSlowdown mean of that time as a multiple of the run time, of at least 10 s
 * @param gpuUse used part of the GPU time from the first submit to the last end
 * @param gpuUseInWindow the same from the first to the last submit
 */
public record Metrics(
        int jobs,
        int rejected,
        long gpus,
        long makespanS,
        Waits waits,
        double meanJctS,
        double meanSlowdown,
        double gpuUse,
        double gpuUseInWindow) {

    /** Very short jobs would dominate the mean slowdown. */
    private static final long SHORTEST_RUN_S = 10;

    public static Metrics of(Schedule schedule) {
        var jobs = schedule.jobs();
        long firstSubmit = jobs.stream().mapToLong(job -> job.job().submitS()).min().orElse(0);
        long lastSubmit = jobs.stream().mapToLong(job -> job.job().submitS()).max().orElse(0);
        long lastEnd = jobs.stream().mapToLong(ScheduledJob::endS).max().orElse(0);
        long total = jobs.stream().mapToLong(job -> job.endS() - job.job().submitS()).sum();
        double slowdown = jobs.stream().mapToDouble(Metrics::slowdown).sum();
        return new Metrics(
                jobs.size(),
                schedule.rejected(),
                schedule.gpus(),
                lastEnd - firstSubmit,
                Waits.of(jobs),
                jobs.isEmpty() ? 0 : (double) total / jobs.size(),
                jobs.isEmpty() ? 0 : slowdown / jobs.size(),
                use(schedule, firstSubmit, lastEnd),
                use(schedule, firstSubmit, lastSubmit));
    }

    private static double slowdown(ScheduledJob scheduled) {
        double total = scheduled.endS() - scheduled.job().submitS();
        return Math.max(1, total / Math.max(scheduled.job().durationS(), SHORTEST_RUN_S));
    }

    private static double use(Schedule schedule, long fromS, long toS) {
        double available = (double) schedule.gpus() * (toS - fromS);
        return available == 0 ? 0 : GpuUse.gpuSeconds(schedule.jobs(), fromS, toS) / available;
    }
}
