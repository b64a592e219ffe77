package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.AttemptId;
import dev.berth.core.predict.Learned;
import dev.berth.core.task.Attempt;
import dev.berth.engine.LongWaits.LastCheck;

import java.time.Instant;
import java.util.function.Consumer;

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

    TransientData withUnrecovered(PersistentMap<AttemptId, Attempt> other) {
        return changed(draft -> draft.unrecovered = other);
    }

    TransientData with(DiskSpaceState other) {
        return changed(draft -> draft.disk = other);
    }

    TransientData with(GpuReleases other) {
        return changed(draft -> draft.gpuReleases = other);
    }

    TransientData with(LastCheck other) {
        return changed(draft -> draft.longWaitCheck = other);
    }

    TransientData withLastStarts(PersistentMap<Long, Instant> other) {
        return changed(draft -> draft.lastStarts = other);
    }

    TransientData with(GpuSuspicions other) {
        return changed(draft -> draft.gpuSuspicions = other);
    }

    TransientData withProgress(PersistentMap<AttemptId, AttemptProgress> other) {
        return changed(draft -> draft.progress = other);
    }

    TransientData with(LaunchFaults other) {
        return changed(draft -> draft.launchFaults = other);
    }

    TransientData with(WorkerState other) {
        return changed(draft -> draft.workers = other);
    }

    TransientData with(Learned other) {
        return changed(draft -> draft.learned = other);
    }

    TransientData with(OutsideUse other) {
        return changed(draft -> draft.outside = other);
    }

    TransientData with(ClusterState other) {
        return changed(draft -> draft.cluster = other);
    }

    public boolean isDiskLow() {
        return disk.isLow();
    }

    private TransientData changed(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.toData();
    }

    /** The components of a changed copy. */
    private static final class Draft {
        private PersistentMap<AttemptId, Attempt> unrecovered;
        private DiskSpaceState disk;
        private GpuReleases gpuReleases;
        private LastCheck longWaitCheck;
        private PersistentMap<Long, Instant> lastStarts;
        private GpuSuspicions gpuSuspicions;
        private PersistentMap<AttemptId, AttemptProgress> progress;
        private LaunchFaults launchFaults;
        private WorkerState workers;
        private Learned learned;
        private OutsideUse outside;
        private ClusterState cluster;

        Draft(TransientData data) {
            unrecovered = data.unrecovered;
            disk = data.disk;
            gpuReleases = data.gpuReleases;
            longWaitCheck = data.longWaitCheck;
            lastStarts = data.lastStarts;
            gpuSuspicions = data.gpuSuspicions;
            progress = data.progress;
            launchFaults = data.launchFaults;
            workers = data.workers;
            learned = data.learned;
            outside = data.outside;
            cluster = data.cluster;
        }

        TransientData toData() {
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
                    cluster);
        }
    }
}
