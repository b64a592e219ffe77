package dev.berth.core.plan;

import dev.berth.core.collect.AscendingLookup;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.reserve.ReservationWindow;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Reads the views of all GPUs in one walk over the maps of a fleet. */
final class FleetViews {

    private final Fleet fleet;
    private final AscendingLookup<GpuId, List<HeldClaim>> holds;
    private final AscendingLookup<GpuId, List<AttemptId>> releasing;
    private final AscendingLookup<GpuId, Instant> releasedAt;
    private final AscendingLookup<GpuId, List<String>> loaded;
    private final AscendingLookup<GpuId, HeadReservation> reservedFor;
    private final AscendingLookup<GpuId, List<ReservationWindow>> windows;

    private FleetViews(Fleet fleet) {
        this.fleet = fleet;
        this.holds = new AscendingLookup<>(fleet.holds());
        this.releasing = new AscendingLookup<>(fleet.releasing());
        this.releasedAt = new AscendingLookup<>(fleet.releasedAt());
        this.loaded = new AscendingLookup<>(fleet.loaded());
        this.reservedFor = new AscendingLookup<>(fleet.reservedFor());
        this.windows = new AscendingLookup<>(fleet.reservations().byGpu());
    }

    /** In the order of their ids. */
    static List<GpuView> of(Fleet fleet) {
        var reader = new FleetViews(fleet);
        var views = new ArrayList<GpuView>(fleet.gpus().size());
        for (var entry : fleet.gpus()) {
            views.add(reader.view(entry.getKey(), entry.getValue()));
        }
        return views;
    }

    private GpuView view(GpuId gpu, GpuState state) {
        return new GpuView(
                state,
                holds.get(gpu).orElse(List.of()),
                releasing.get(gpu).orElse(List.of()),
                releasedAt.get(gpu),
                loaded.get(gpu).orElse(List.of()),
                fleet.laneAccess(state.gpu().index()),
                reservedFor.get(gpu),
                fleet.warm(),
                windows.get(gpu).orElse(List.of()));
    }
}
