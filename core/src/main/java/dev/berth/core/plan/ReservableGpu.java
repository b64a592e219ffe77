package dev.berth.core.plan;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A GPU while the GPUs of all reservations are selected. What runs on it is looked up once, not
 * once for each reservation.
 *
 * @param usedByHolders the reservations of which a holder runs a task on it
 * @param allEndBy when all tasks on it have ended by their time limits; empty if one has none or is
 *     unknown
 * @param windows the reservations that have selected it
 */
record ReservableGpu(
        GpuView view,
        boolean isUsedOutside,
        SortedSet<Long> usedByHolders,
        Optional<Instant> allEndBy,
        List<ReservationWindow> windows) {

    /** How well a GPU serves a reservation, best first. */
    private enum Suitability {
        USED_BY_HOLDER,
        IDLE,
        ENDS_BEFORE,
        IN_USE,
        UNREADABLE
    }

    private static final int SUITABILITIES = Suitability.values().length;

    static ReservableGpu of(GpuView view, UserLoads loads, AdmittedOwners admitted) {
        var usedByHolders = Collections.<Long>emptySortedSet();
        var allEndBy = Optional.of(Instant.MIN);
        for (var hold : view.holds()) {
            var load = loads.running().get(hold.attempt());
            if (load != null) {
                usedByHolders = union(usedByHolders, admitted.windows(load.owner()));
            }
            allEndBy = later(allEndBy, load == null ? Optional.empty() : load.latestEnd());
        }
        boolean isUsedOutside = false;
        for (var process : view.processes()) {
            isUsedOutside |= process.isOtherUsersCompute();
        }
        return new ReservableGpu(view, isUsedOutside, usedByHolders, allEndBy, new ArrayList<>());
    }

    /** Most GPUs are held by one task, and most tasks are not of a holder. */
    private static SortedSet<Long> union(SortedSet<Long> one, SortedSet<Long> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        var both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }

    /** Empty if one is. */
    private static Optional<Instant> later(Optional<Instant> one, Optional<Instant> other) {
        return one.isEmpty() || (other.isPresent() && one.get().isAfter(other.get())) ? one : other;
    }

    /** The GPUs for a reservation. */
    static List<ReservableGpu> select(ReservationWindow window, List<ReservableGpu> usable) {
        return switch (window.reservation().gpus()) {
            case ReservedGpus.NamedGpus(var devices) ->
                    usable.stream()
                            .filter(one -> devices.indices().contains(one.gpu().index()))
                            .toList();
            case ReservedGpus.AnyGpus(int count) -> best(count, window, usable);
        };
    }

    /** Those that no other reservation has taken first, then by suitability, then by index. */
    private static List<ReservableGpu> best(
            int count, ReservationWindow window, List<ReservableGpu> usable) {
        var best = new PriorityQueue<Ranked>(Comparator.reverseOrder());
        for (var gpu : usable) {
            var ranked = new Ranked(gpu.rank(window), gpu);
            if (best.size() < count) {
                best.add(ranked);
            } else if (ranked.compareTo(best.element()) < 0) { // the worst one comes first
                best.remove();
                best.add(ranked);
            }
        }
        return best.stream().map(Ranked::gpu).toList();
    }

    /** How well a GPU serves a reservation; lower is better. */
    private record Ranked(int rank, ReservableGpu gpu) implements Comparable<Ranked> {

        @Override
        public int compareTo(Ranked other) {
            if (rank != other.rank) {
                return Integer.compare(rank, other.rank);
            }
            int byIndex = Integer.compare(gpu.gpu().index(), other.gpu.gpu().index());
            return byIndex != 0 ? byIndex : gpu.gpu().id().compareTo(other.gpu.gpu().id());
        }
    }

    private int rank(ReservationWindow window) {
        return (isTaken(window) ? SUITABILITIES : 0) + suitability(window).ordinal();
    }

    Gpu gpu() {
        return view.state().gpu();
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

    private Suitability suitability(ReservationWindow window) {
        if (!view.state().isReadable()) {
            return Suitability.UNREADABLE;
        }
        if (usedByHolders.contains(window.id())) {
            return Suitability.USED_BY_HOLDER;
        }
        if (isUsedOutside || allEndBy.isEmpty() || allEndBy.get().isAfter(window.span().begin())) {
            return Suitability.IN_USE;
        }
        return view.holds().isEmpty() ? Suitability.IDLE : Suitability.ENDS_BEFORE;
    }
}
