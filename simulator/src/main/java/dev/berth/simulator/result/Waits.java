package dev.berth.simulator.result;

import dev.berth.simulator.replay.ScheduledJob;

import java.util.Arrays;
import java.util.List;

/** How long the jobs waited, in seconds. */
public final class Waits {

    private final long[] sorted;

    private Waits(long[] sorted) {
        this.sorted = sorted;
    }

    public static Waits of(List<ScheduledJob> jobs) {
        long[] waits = jobs.stream().mapToLong(ScheduledJob::waitS).toArray();
        Arrays.sort(waits);
        return new Waits(waits);
    }

    /** The smallest wait that is not exceeded by this part of the jobs. */
    public long percentile(double percent) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(percent * sorted.length / 100);
        return sorted[Math.clamp(rank, 1, sorted.length) - 1];
    }

    public double mean() {
        return sorted.length == 0 ? 0 : (double) Arrays.stream(sorted).sum() / sorted.length;
    }

    /** Jobs that did not start at once. */
    public long queued() {
        return Arrays.stream(sorted).filter(wait -> wait > 0).count();
    }
}
