package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.AttemptId;
import dev.berth.core.predict.Learned;
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
 * @param launchFaults faults of the machine that prevented starts
 * @param workers the processes that keep models loaded
 * @param learned what ended runs tell about tasks to come; the runs of earlier servers are read
 *     again after each start
 * @param outside GPU time outside Berth that has not been charged yet
 * @param cluster attempts that wait in a cluster
 */
public record TransientData(
        PersistentMap<AttemptId, Attempt> unrecovered,
        DiskSpaceState disk,
        GpuReleases gpuReleases,
        LastCheck longWaitCheck,
        PersistentMap<Long, Instant> lastStarts,
        GpuSuspicions gpuSuspicions,
        PersistentMap<AttemptId, AttemptProgress> progress,
        LaunchFaults launchFaults,
        WorkerState workers,
        Learned learned,
        OutsideUse outside,
        ClusterState cluster) {

    static final TransientData EMPTY =
            new TransientData(
                    PersistentMap.empty(),
                    DiskSpaceState.UNKNOWN,
                    GpuReleases.NONE,
                    LastCheck.NEVER,
                    PersistentMap.empty(),
                    GpuSuspicions.NONE,
                    PersistentMap.empty(),
                    LaunchFaults.NONE,
                    WorkerState.NONE,
                    Learned.NOTHING,
                    OutsideUse.NONE,
                    ClusterState.NONE);

    TransientData withUnrecovered(PersistentMap<AttemptId, Attempt> others) {
        return new TransientData(
                others,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData with(DiskSpaceState other) {
        return new TransientData(
                unrecovered,
                other,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData with(GpuReleases others) {
        return new TransientData(
                unrecovered,
                disk,
                others,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData with(LastCheck other) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                other,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData withLastStarts(PersistentMap<Long, Instant> others) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                others,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData with(GpuSuspicions others) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                others,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData withProgress(PersistentMap<AttemptId, AttemptProgress> others) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                others,
                launchFaults,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData with(LaunchFaults others) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                others,
                workers,
                learned,
                outside,
                cluster);
    }

    TransientData with(WorkerState others) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                others,
                learned,
                outside,
                cluster);
    }

    TransientData with(Learned other) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                other,
                outside,
                cluster);
    }

    TransientData with(OutsideUse other) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                other,
                cluster);
    }

    TransientData with(ClusterState other) {
        return new TransientData(
                unrecovered,
                disk,
                gpuReleases,
                longWaitCheck,
                lastStarts,
                gpuSuspicions,
                progress,
                launchFaults,
                workers,
                learned,
                outside,
                other);
    }

    public boolean isDiskLow() {
        return disk.isLow();
    }
}
