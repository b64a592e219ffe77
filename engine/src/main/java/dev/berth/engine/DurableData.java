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

import java.util.function.Consumer;

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
        return changed(draft -> draft.keys = other);
    }

    DurableData withTokens(PersistentMap<TokenId, Token> other) {
        return changed(draft -> draft.tokens = other);
    }

    DurableData with(GpuUsage other) {
        return changed(draft -> draft.usage = other);
    }

    DurableData with(SchedulerState other) {
        return changed(draft -> draft.scheduler = other);
    }

    DurableData with(FileRun run) {
        var others = run.hasEnded() ? fileRuns.without(run.id()) : fileRuns.with(run.id(), run);
        return changed(draft -> draft.fileRuns = others);
    }

    DurableData withFaults(PersistentMap<GpuId, GpuFault> other) {
        return changed(draft -> draft.faults = other);
    }

    DurableData withEstimate(String model, long mib) {
        return changed(draft -> draft.estimates = estimates.with(model, mib));
    }

    DurableData withModels(PersistentMap<String, Model> other) {
        return changed(draft -> draft.models = other);
    }

    DurableData with(UserGroups other) {
        return changed(draft -> draft.groups = other);
    }

    DurableData withReservations(PersistentMap<Long, Reservation> other) {
        return changed(draft -> draft.reservations = other);
    }

    private DurableData changed(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.toData();
    }

    /** The components of a changed copy. */
    private static final class Draft {
        private PersistentMap<SubmitKey, SubmitKeyUse> keys;
        private PersistentMap<TokenId, Token> tokens;
        private GpuUsage usage;
        private SchedulerState scheduler;
        private PersistentMap<Long, FileRun> fileRuns;
        private PersistentMap<GpuId, GpuFault> faults;
        private PersistentMap<String, Long> estimates;
        private PersistentMap<String, Model> models;
        private UserGroups groups;
        private PersistentMap<Long, Reservation> reservations;

        Draft(DurableData data) {
            keys = data.keys;
            tokens = data.tokens;
            usage = data.usage;
            scheduler = data.scheduler;
            fileRuns = data.fileRuns;
            faults = data.faults;
            estimates = data.estimates;
            models = data.models;
            groups = data.groups;
            reservations = data.reservations;
        }

        DurableData toData() {
            return new DurableData(
                    keys,
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
    }
}
