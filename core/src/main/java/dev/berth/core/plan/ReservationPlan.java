package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The reservations at one moment.
 *
 * @param windows the current window of each reservation, else its next one
 * @param byGpu the same by the GPUs that they keep
 */
public record ReservationPlan(
        Instant at,
        UserGroups groups,
        List<ReservationWindow> windows,
        PersistentMap<GpuId, List<ReservationWindow>> byGpu) {

    static final ReservationPlan NONE =
            new ReservationPlan(Instant.EPOCH, UserGroups.NONE, List.of(), PersistentMap.empty());

    private static final Comparator<ReservationWindow> BY_BEGIN =
            Comparator.comparing((ReservationWindow window) -> window.span().begin())
                    .thenComparing(ReservationWindow::id);

    public ReservationPlan {
        windows = List.copyOf(windows);
    }

    /**
     * Selects the GPUs of each reservation: those on which its holder's tasks run, then idle ones,
     * then those whose tasks have a time limit that ends before it begins. So it can be satisfied
     * if any selection can, as long as no other task starts on them that may still run then.
     */
    public static ReservationPlan of(Snapshot snapshot, GpuPool pool) {
        if (snapshot.reservations().isEmpty()) {
            return NONE;
        }
        var windows =
                snapshot.reservations()
                        .values()
                        .flatMap(one -> one.windowAt(snapshot.at()).stream())
                        .sorted(BY_BEGIN)
                        .toList();
        var usable =
                snapshot.fleet()
                        .views()
                        .filter(view -> pool.contains(view.state().gpu().index()))
                        .toList();
        var byGpu = PersistentMap.<GpuId, List<ReservationWindow>>empty();
        for (var window : windows) {
            for (var gpu : selected(window, usable, byGpu, snapshot)) {
                var there = new ArrayList<>(byGpu.get(gpu).orElse(List.of()));
                there.add(window);
                byGpu = byGpu.with(gpu, List.copyOf(there));
            }
        }
        return new ReservationPlan(snapshot.at(), snapshot.loads().groups(), windows, byGpu);
    }

    private static List<GpuId> selected(
            ReservationWindow window,
            List<GpuView> usable,
            PersistentMap<GpuId, List<ReservationWindow>> before,
            Snapshot snapshot) {
        return switch (window.reservation().gpus()) {
            case ReservedGpus.NamedGpus(var devices) ->
                    usable.stream()
                            .map(view -> view.state().gpu())
                            .filter(gpu -> devices.indices().contains(gpu.index()))
                            .map(gpu -> gpu.id())
                            .toList();
            case ReservedGpus.AnyGpus(int count) ->
                    usable.stream()
                            .map(
                                    view ->
                                            new Candidate(
                                                    isTaken(window, view, before),
                                                    suitability(window, view, snapshot),
                                                    view.state().gpu()))
                            .sorted(Candidate.BEST_FIRST)
                            .limit(count)
                            .map(candidate -> candidate.gpu().id())
                            .toList();
        };
    }

    /** A GPU for a reservation; determined once, because a sort compares each one many times. */
    private record Candidate(boolean isTaken, Suitability suitability, Gpu gpu) {
        static final Comparator<Candidate> BEST_FIRST =
                Comparator.comparing(Candidate::isTaken)
                        .thenComparing(Candidate::suitability)
                        .thenComparing(candidate -> candidate.gpu().index())
                        .thenComparing(candidate -> candidate.gpu().id());
    }

    /** Whether another reservation needs the GPU at the same time. */
    private static boolean isTaken(
            ReservationWindow window,
            GpuView view,
            PersistentMap<GpuId, List<ReservationWindow>> before) {
        for (var other : before.get(view.state().gpu().id()).orElse(List.of())) {
            if (other.span().overlaps(window.span())) {
                return true;
            }
        }
        return false;
    }

    /** How likely the GPU serves the reservation, best first. */
    private enum Suitability {
        USED_BY_HOLDER,
        IDLE,
        ENDS_BEFORE,
        IN_USE,
        UNREADABLE
    }

    private static Suitability suitability(
            ReservationWindow window, GpuView view, Snapshot snapshot) {
        if (!view.state().isReadable()) {
            return Suitability.UNREADABLE;
        }
        var loads = snapshot.loads();
        boolean endsBefore = true;
        for (var hold : view.holds()) {
            var load = loads.running().get(hold.attempt());
            if (load != null && isHolder(window.reservation(), loads, load)) {
                return Suitability.USED_BY_HOLDER;
            }
            endsBefore &=
                    load != null
                            && load.latestEnd()
                                    .filter(end -> !end.isAfter(window.span().begin()))
                                    .isPresent();
        }
        boolean isUsedOutside = view.processes().stream().anyMatch(GpuProcess::isOtherUsersCompute);
        if (isUsedOutside || !endsBefore) {
            return Suitability.IN_USE;
        }
        return view.holds().isEmpty() ? Suitability.IDLE : Suitability.ENDS_BEFORE;
    }

    private static boolean isHolder(
            Reservation reservation, UserLoads loads, UserLoads.RunningLoad load) {
        return reservation.holder().admits(load.owner(), loads.groups().of(load.owner()));
    }

    /**
     * The reservations whose GPUs the task may not use if it starts now: they are for others, and
     * have begun or begin before its time limit ends it.
     */
    public SortedSet<Long> closedTo(Task task) {
        if (windows.isEmpty()) {
            return Collections.emptySortedSet();
        }
        var end = task.spec().options().timeLimit().map(at::plus);
        var closed = new TreeSet<Long>();
        for (var window : windows) {
            boolean isHeld =
                    window.isActive() || end.isEmpty() || end.get().isAfter(window.span().begin());
            var holder = window.reservation().holder();
            if (isHeld && !holder.admits(task.owner(), groups.of(task.owner()))) {
                closed.add(window.id());
            }
        }
        return Collections.unmodifiableSortedSet(closed);
    }

    /** The windows on this GPU, the first to begin first. */
    public List<ReservationWindow> on(GpuId gpu) {
        return byGpu.get(gpu).orElse(List.of());
    }

    /** The first of these reservations on the GPU. */
    Optional<ReservationWindow> first(GpuId gpu, SortedSet<Long> closed) {
        if (closed.isEmpty()) {
            return Optional.empty();
        }
        for (var window : on(gpu)) {
            if (closed.contains(window.id())) {
                return Optional.of(window);
            }
        }
        return Optional.empty();
    }
}
