package dev.berth.simulator.result;

import dev.berth.simulator.replay.ScheduledJob;
import dev.berth.simulator.trace.JobNeed;

import java.util.List;

/** How many GPUs were in use. */
public final class GpuUse {

    private GpuUse() {}

    /** GPU seconds in a window of time. */
    public static double gpuSeconds(List<ScheduledJob> jobs, long fromS, long toS) {
        double sum = 0;
        for (var scheduled : jobs) {
            long seconds = Math.min(scheduled.endS(), toS) - Math.max(scheduled.startS(), fromS);
            sum += seconds > 0 ? gpus(scheduled.job().need()) * seconds : 0;
        }
        return sum;
    }

    /** The mean number of GPUs in use in each of equal parts of a window. */
    public static double[] overTime(List<ScheduledJob> jobs, long fromS, long toS, int parts) {
        double width = (double) (toS - fromS) / parts;
        var used = new double[parts];
        for (var scheduled : jobs) {
            double start = Math.max(0, (scheduled.startS() - fromS) / width);
            double end = Math.min(parts, (scheduled.endS() - fromS) / width);
            for (int part = (int) start; part < end; part++) {
                double inside = Math.min(end, part + 1) - Math.max(start, part);
                used[part] += inside * gpus(scheduled.job().need());
            }
        }
        return used;
    }

    private static double gpus(JobNeed need) {
        return need.isShare() ? (double) need.milli() / JobNeed.WHOLE : need.gpus();
    }
}
