package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.engine.LongWaits.LastCheck;

import java.time.Instant;

/**
 * Data that a restart may forget.
 *
 * @param unrecovered attempts of an earlier server that the node has not reported on yet
 * @param gpuReleases recent releases of GPUs
 * @param longWaitCheck which long waits have been reported
 * @param lastStarts when a task of each file run was last started
 * @param gpuSuspicions signs of faulty GPUs
 * @param progress progress of running attempts that print it
 */
public record TransientData(
        PersistentMap<AttemptId, Attempt> unrecovered,
        boolean isDiskLow,
        long diskFreeMib,
        GpuReleases gpuReleases,
        LastCheck longWaitCheck,
        PersistentMap<Long, Instant> lastStarts,
        GpuSuspicions gpuSuspicions,
        PersistentMap<AttemptId, AttemptProgress> progress) {

    static final TransientData EMPTY =
            new TransientData(
                    PersistentMap.empty(),
                    false,
                    0,
                    GpuReleases.NONE,
                    LastCheck.NEVER,
                    PersistentMap.empty(),
                    GpuSuspicions.NONE,
                    PersistentMap.empty());

    TransientData withUnrecovered(PersistentMap<AttemptId, Attempt> others) {
        return new TransientData(
                others,
                isDiskLow,
                diskFreeMib,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress);
    }

    TransientData withDisk(boolean low, long freeMib) {
        return new TransientData(
                unrecovered,
                low,
                freeMib,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress);
    }

    TransientData with(GpuReleases others) {
        return new TransientData(
                unrecovered,
                isDiskLow,
                diskFreeMib,
                others,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress);
    }

    TransientData with(LastCheck other) {
        return new TransientData(
                unrecovered,
                isDiskLow,
                diskFreeMib,
                gpuReleases,
                other,
                lastStarts,
                gpuSuspicions,
                progress);
    }

    TransientData withLastStarts(PersistentMap<Long, Instant> others) {
        return new TransientData(
                unrecovered,
                isDiskLow,
                diskFreeMib,
                gpuReleases,
                longWaitCheck,
                others,
                gpuSuspicions,
                progress);
    }

    TransientData with(GpuSuspicions others) {
        return new TransientData(
                unrecovered,
                isDiskLow,
                diskFreeMib,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                others,
                progress);
    }

    TransientData withProgress(PersistentMap<AttemptId, AttemptProgress> others) {
        return new TransientData(
                unrecovered,
                isDiskLow,
                diskFreeMib,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                others);
    }
}
