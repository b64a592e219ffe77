package dev.berth.simulator.trace;

import java.util.List;

/**
 * What a job needs. Jobs with equal needs fit at the same time.
 *
 * @param gpus all start and end together; 0 for a job without a GPU
 * @param milli thousandths of one GPU; {@link #WHOLE} for whole GPUs
 * @param gpuTypes the allowed GPU models; empty for any
 */
public record JobNeed(int gpus, int milli, long cpuMilli, long memoryMib, List<String> gpuTypes) {

    public static final int WHOLE = 1000;

    public JobNeed {
        gpuTypes = List.copyOf(gpuTypes);
    }

    public static JobNeed ofGpus(int gpus) {
        return new JobNeed(gpus, WHOLE, 0, 0, List.of());
    }

    /** True if the job uses only a part of one GPU. */
    public boolean isShare() {
        return gpus == 1 && milli < WHOLE;
    }
}
