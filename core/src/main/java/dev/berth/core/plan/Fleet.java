package dev.berth.core.plan;

import dev.berth.core.collect.AscendingLookup;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.lane.LaneAccess;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.model.WarmModels;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All GPUs and what is known about them, by GPU.
 *
 * @param holds claims of attempts
 * @param releasing attempts that ended, but whose processes may still be on the GPU
 * @param releasedAt when a task last released the GPU
 * @param loaded the models on the GPU, the least recently used first
 * @param reservedFor the waiting task that keeps this GPU for itself
 * @param warm the workers on the GPUs
 * @param laneGpus which GPUs lanes may use; computed only if a lane waits
 * @param reservations which GPUs are reserved
 */
public record Fleet(
        PersistentMap<GpuId, GpuState> gpus,
        PersistentMap<GpuId, List<HeldClaim>> holds,
        PersistentMap<GpuId, List<AttemptId>> releasing,
        PersistentMap<GpuId, Instant> releasedAt,
        PersistentMap<GpuId, List<String>> loaded,
        PersistentMap<GpuId, HeadReservation> reservedFor,
        WarmModels warm,
        Optional<LaneRules.LaneGpus> laneGpus,
        ReservationPlan reservations) {

    /** GPUs without any history. */
    public static Fleet of(PersistentMap<GpuId, GpuState> gpus) {
        return new Fleet(
                gpus,
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty());
    }

    public Fleet(
            PersistentMap<GpuId, GpuState> gpus,
            PersistentMap<GpuId, List<HeldClaim>> holds,
            PersistentMap<GpuId, List<AttemptId>> leaving,
            PersistentMap<GpuId, Instant> releasedAt,
            PersistentMap<GpuId, List<String>> loaded) {
        this(gpus, holds, leaving, releasedAt, loaded, WarmModels.NONE);
    }

    public Fleet(
            PersistentMap<GpuId, GpuState> gpus,
            PersistentMap<GpuId, List<HeldClaim>> holds,
            PersistentMap<GpuId, List<AttemptId>> leaving,
            PersistentMap<GpuId, Instant> releasedAt,
            PersistentMap<GpuId, List<String>> loaded,
            WarmModels warm) {
        this(
                gpus,
                holds,
                leaving,
                releasedAt,
                loaded,
                PersistentMap.empty(),
                warm,
                Optional.empty(),
                ReservationPlan.NONE);
    }

    /** Which GPUs a task may use now depends on this. */
    Placing placing(Task task) {
        return new Placing(Shape.of(task.spec()), reservations.closedTo(task));
    }

    /** All GPUs in the order of their ids. */
    public Stream<GpuView> views() {
        return FleetViews.of(this).stream();
    }

    /** The GPUs that can still be claimed: not held, or held only by sharing attempts. */
    List<GpuView> claimable() {
        var held = new AscendingLookup<>(holds);
        var open = new ArrayList<GpuView>();
        for (var entry : gpus) {
            if (held.get(entry.getKey()).map(Fleet::isShared).orElse(true)) {
                open.add(view(entry.getValue()));
            }
        }
        return open;
    }

    private static boolean isShared(List<HeldClaim> held) {
        return held.stream().noneMatch(hold -> hold.claim().isExclusive());
    }

    public GpuView view(GpuState state) {
        var gpu = state.gpu().id();
        return new GpuView(
                state,
                holds.get(gpu).orElse(List.of()),
                releasing.get(gpu).orElse(List.of()),
                releasedAt.get(gpu),
                loaded.get(gpu).orElse(List.of()),
                laneAccess(state.gpu().index()),
                reservedFor.get(gpu),
                warm,
                reservations.on(gpu));
    }

    LaneAccess laneAccess(int index) {
        if (laneGpus.isEmpty()) {
            return LaneAccess.ALLOWED;
        }
        return !laneGpus.get().all().contains(index)
                ? LaneAccess.DENIED
                : laneGpus.get().leftForOthers().contains(index)
                        ? LaneAccess.LEFT_FOR_OTHERS
                        : LaneAccess.ALLOWED;
    }

    /** With the GPUs that lanes may use. */
    Fleet withLaneGpus(SchedulingRules rules) {
        var laneGpus = rules.lanes().usableGpus(gpus, rules.pool());
        return new Fleet(
                gpus,
                holds,
                releasing,
                releasedAt,
                loaded,
                reservedFor,
                warm,
                Optional.of(laneGpus),
                reservations);
    }

    Fleet with(WarmModels others) {
        return new Fleet(
                gpus,
                holds,
                releasing,
                releasedAt,
                loaded,
                reservedFor,
                others,
                laneGpus,
                reservations);
    }

    Fleet withReservation(List<GpuView> views, HeadReservation reservation) {
        var more = reservedFor;
        for (var view : views) {
            more = more.with(view.state().gpu().id(), reservation);
        }
        return with(more);
    }

    /** With other reservations of heads instead of these. */
    Fleet with(PersistentMap<GpuId, HeadReservation> others) {
        return new Fleet(
                gpus, holds, releasing, releasedAt, loaded, others, warm, laneGpus, reservations);
    }

    /** With the claims of one more attempt. */
    Fleet with(AttemptId attempt, List<Claim> claims) {
        var more = holds;
        for (var claim : claims) {
            var held = new ArrayList<>(more.get(claim.gpu()).orElse(List.of()));
            held.add(new HeldClaim(attempt, claim));
            more = more.with(claim.gpu(), List.copyOf(held));
        }
        return new Fleet(
                gpus,
                more,
                releasing,
                releasedAt,
                loaded,
                reservedFor,
                warm,
                laneGpus,
                reservations);
    }

    /** With the GPUs that reservations keep. */
    Fleet with(ReservationPlan others) {
        return new Fleet(
                gpus, holds, releasing, releasedAt, loaded, reservedFor, warm, laneGpus, others);
    }
}
