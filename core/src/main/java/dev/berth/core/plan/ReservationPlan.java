package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.reserve.ReservationWindow;
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
        var loads = snapshot.loads();
        var admitted = new AdmittedOwners(windows, loads.groups());
        var usable = new ArrayList<ReservableGpu>(snapshot.fleet().gpus().size());
        for (var view : FleetViews.of(snapshot.fleet())) {
            if (pool.contains(view.state().gpu().index())) {
                usable.add(ReservableGpu.of(view, loads, admitted));
            }
        }
        for (var window : windows) {
            ReservableGpu.select(window, usable).forEach(gpu -> gpu.windows().add(window));
        }
        var byGpu = PersistentMap.<GpuId, List<ReservationWindow>>empty();
        for (var gpu : usable) {
            if (!gpu.windows().isEmpty()) {
                byGpu = byGpu.with(gpu.gpu().id(), List.copyOf(gpu.windows()));
            }
        }
        return new ReservationPlan(snapshot.at(), loads.groups(), windows, byGpu);
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
        var own = groups.of(task.owner());
        var closed = new TreeSet<Long>();
        for (var window : windows) {
            boolean isHeld =
                    window.isActive() || end.isEmpty() || end.get().isAfter(window.span().begin());
            var holder = window.reservation().holder();
            if (isHeld && !holder.admits(task.owner(), own)) {
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
