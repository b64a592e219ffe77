package dev.berth.engine;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.share.UserGroups;
import dev.berth.port.SchedulerState;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;

/**
 * Durable data besides tasks and attempts.
 *
 * @param keys submit keys of recently accepted requests
 * @param usage GPU time used by each principal
 * @param fileRuns file runs that have not ended
 * @param faults quarantined GPUs
 * @param estimates raised memory estimates by model, in MiB
 * @param models models that were added by a request
 * @param groups the groups of users
 * @param reservations those that have not ended
 */
public record DurableData(
        PersistentMap<SubmitKey, SubmitKeyUse> keys,
        PersistentMap<TokenId, Token> tokens,
        GpuUsage usage,
        SchedulerState scheduler,
        PersistentMap<Long, FileRun> fileRuns,
        PersistentMap<GpuId, GpuFault> faults,
        PersistentMap<String, Long> estimates,
        PersistentMap<String, Model> models,
        UserGroups groups,
        PersistentMap<Long, Reservation> reservations) {

    static final DurableData EMPTY =
            new DurableData(
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    GpuUsage.NONE,
                    SchedulerState.RUNNING,
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    UserGroups.NONE,
                    PersistentMap.empty());

    DurableData withKeys(PersistentMap<SubmitKey, SubmitKeyUse> other) {
        return new DurableData(
                other,
                tokens,
                usage,
                scheduler,
                fileRuns,
                faults,
                estimates,
                models,
                groups,
                reservations);
    }

    DurableData withTokens(PersistentMap<TokenId, Token> other) {
        return new DurableData(
                keys,
                other,
                usage,
                scheduler,
                fileRuns,
                faults,
                estimates,
                models,
                groups,
                reservations);
    }

    DurableData with(GpuUsage other) {
        return new DurableData(
                keys,
                tokens,
                other,
                scheduler,
                fileRuns,
                faults,
                estimates,
                models,
                groups,
                reservations);
    }

    DurableData with(SchedulerState other) {
        return new DurableData(
                keys,
                tokens,
                usage,
                other,
                fileRuns,
                faults,
                estimates,
                models,
                groups,
                reservations);
    }

    DurableData with(FileRun run) {
        var others = run.hasEnded() ? fileRuns.without(run.id()) : fileRuns.with(run.id(), run);
        return new DurableData(
                keys,
                tokens,
                usage,
                scheduler,
                others,
                faults,
                estimates,
                models,
                groups,
                reservations);
    }

    DurableData withFaults(PersistentMap<GpuId, GpuFault> others) {
        return new DurableData(
                keys,
                tokens,
                usage,
                scheduler,
                fileRuns,
                others,
                estimates,
                models,
                groups,
                reservations);
    }

    DurableData withEstimate(String model, long mib) {
        var others = estimates.with(model, mib);
        return new DurableData(
                keys,
                tokens,
                usage,
                scheduler,
                fileRuns,
                faults,
                others,
                models,
                groups,
                reservations);
    }

    DurableData withModels(PersistentMap<String, Model> others) {
        return new DurableData(
                keys,
                tokens,
                usage,
                scheduler,
                fileRuns,
                faults,
                estimates,
                others,
                groups,
                reservations);
    }

    DurableData with(UserGroups others) {
        return new DurableData(
                keys,
                tokens,
                usage,
                scheduler,
                fileRuns,
                faults,
                estimates,
                models,
                others,
                reservations);
    }

    DurableData withReservations(PersistentMap<Long, Reservation> others) {
        return new DurableData(
                keys, tokens, usage, scheduler, fileRuns, faults, estimates, models, groups,
                others);
    }
}
