package dev.berth.core.plan;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A GPU while the GPUs of all reservations are selected. What runs on it is looked up once, not
 * once for each reservation.
 *
 * @param running what its holders run; fewer than the holders if one is unknown
 * @param windows the reservations that have selected it
 */
record ReservableGpu(
        GpuView view,
        boolean isUsedOutside,
        List<UserLoads.RunningLoad> running,
        List<ReservationWindow> windows) {

    static final Comparator<ReservableGpu> BY_INDEX =
            Comparator.<ReservableGpu>comparingInt(one -> one.gpu().index())
                    .thenComparing(one -> one.gpu().id());

    /** How well a GPU serves a reservation, best first. */
    private enum Suitability {
        USED_BY_HOLDER,
        IDLE,
        ENDS_BEFORE,
        IN_USE,
        UNREADABLE
    }

    private record Candidate(ReservableGpu gpu, boolean isTaken, Suitability suitability) {

        /** Equal ones stay in the order of their indices, because the sort is stable. */
        static final Comparator<Candidate> BEST_FIRST =
                Comparator.comparing(Candidate::isTaken).thenComparing(Candidate::suitability);
    }

    static ReservableGpu of(GpuView view, UserLoads loads) {
        var running = new ArrayList<UserLoads.RunningLoad>();
        for (var hold : view.holds()) {
            var load = loads.running().get(hold.attempt());
            if (load != null) {
                running.add(load);
            }
        }
        boolean isUsedOutside = view.processes().stream().anyMatch(GpuProcess::isOtherUsersCompute);
        return new ReservableGpu(view, isUsedOutside, running, new ArrayList<>());
    }

    /**
     * The GPUs for a reservation.
     *
     * @param usable in the order of their indices
     */
    static List<ReservableGpu> select(
            ReservationWindow window, List<ReservableGpu> usable, UserLoads loads) {
        return switch (window.reservation().gpus()) {
            case ReservedGpus.NamedGpus(var devices) ->
                    usable.stream()
                            .filter(one -> devices.indices().contains(one.gpu().index()))
                            .toList();
            case ReservedGpus.AnyGpus(int count) ->
                    usable.stream()
                            .map(one -> one.candidate(window, loads))
                            .sorted(Candidate.BEST_FIRST)
                            .limit(count)
                            .map(Candidate::gpu)
                            .toList();
        };
    }

    Gpu gpu() {
        return view.state().gpu();
    }

    private Candidate candidate(ReservationWindow window, UserLoads loads) {
        return new Candidate(this, isTaken(window), suitability(window, loads));
    }

    /** Whether another reservation needs the GPU at the same time. */
    private boolean isTaken(ReservationWindow window) {
        for (var other : windows) {
            if (other.span().overlaps(window.span())) {
                return true;
            }
        }
        return false;
    }

    private Suitability suitability(ReservationWindow window, UserLoads loads) {
        if (!view.state().isReadable()) {
            return Suitability.UNREADABLE;
        }
        boolean endsBefore = running.size() == view.holds().size();
        for (var load : running) {
            if (isHolder(window, load, loads)) {
                return Suitability.USED_BY_HOLDER;
            }
            endsBefore &=
                    load.latestEnd().filter(end -> !end.isAfter(window.span().begin())).isPresent();
        }
        if (isUsedOutside || !endsBefore) {
            return Suitability.IN_USE;
        }
        return view.holds().isEmpty() ? Suitability.IDLE : Suitability.ENDS_BEFORE;
    }

    private static boolean isHolder(
            ReservationWindow window, UserLoads.RunningLoad load, UserLoads loads) {
        return window.reservation().holder().admits(load.owner(), loads.groups().of(load.owner()));
    }
}
