package dev.berth.core.task;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * How much of its GPUs an attempt used, as far as it was measured.
 *
 * @param peakMib the highest memory use of its processes on one GPU
 * @param meanMib mean over time, on one GPU
 * @param peakPercent the highest utilization of one of its GPUs; empty if the driver reports none
 * @param measuredTime how long it was measured
 */
public record GpuConsumption(
        long peakMib,
        long meanMib,
        OptionalInt peakPercent,
        OptionalInt meanPercent,
        Duration measuredTime) {}
