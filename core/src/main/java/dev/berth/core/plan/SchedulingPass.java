package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.lane.LaneAccess;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.queue.WaitingTasks.Head;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One scheduling pass: takes the heads in order and the GPUs that fit each, until no task can
 * start.
 *
 * <p>Starts only reduce the available GPUs. So a shape that found no GPUs finds none later in the
 * same pass, and a list of fitting GPUs only gets shorter: all GPUs are checked once per shape.
 */
final class SchedulingPass {

    private final Planner planner;
    private final Snapshot from;
    private final WaitingTasks waiting;
    private final PriorityQueue<Head> heads = new PriorityQueue<>(Head.ORDER);

    /** Shapes that found no GPUs, with the reservations at that time. */
    private final TreeMap<Shape, PersistentMap<GpuId, Reservation>> unplaceable = new TreeMap<>();

    private final TreeMap<Shape, List<GpuView>> fitting = new TreeMap<>();
    private final TreeMap<String, Double> used;
    private final List<Verdict.Start> starts = new ArrayList<>();
    private final TreeMap<QueueId, Task> blocked = new TreeMap<>();
    private final TreeMap<Integer, List<GpuState>> byIndex = new TreeMap<>();
    private final List<GpuView> open;

    /** The workers that have to leave before a task can start. */
    private final TreeMap<TaskId, List<WarmWorker>> unloading = new TreeMap<>();

    /** File runs of which a task is being started: the next one waits until that one runs. */
    private final TreeSet<Long> startingRuns;

    /** Idle GPUs among those for lanes; computed when the first lane needs it. */
    private @Nullable SortedSet<GpuId> idle;

    private Fleet fleet;
    private int cpuTasks;

    SchedulingPass(Planner planner, Snapshot from) {
        this.planner = planner;
        this.from = from;
        this.waiting = from.waiting();
        this.used = new TreeMap<>(from.usedGpuSeconds());
        this.fleet =
                waiting.lanes().queued().isEmpty()
                        ? from.fleet()
                        : from.fleet().withLaneGpus(planner.rules());
        this.startingRuns = new TreeSet<>(from.startingRuns());
        this.open = fleet.claimable();
        this.cpuTasks = from.cpuTasks();
    }

    Plan run() {
        if (from.pause().isEmpty()) {
            heads.addAll(waiting.heads(this::used, from.at(), startingRuns));
            while (!heads.isEmpty()) {
                consider(heads.remove());
            }
        }
        return new Plan(starts, blocked, fleet, cpuTasks, unplaceable, startingRuns, unloading);
    }

    private void consider(Head head) {
        var place = head.place();
        var precedence = waiting.precedence(place, this::used, from.at());
        if (!precedence.equals(place.precedence())) {
            // Tasks of its owner have started since this head was queued.
            heads.add(head.with(precedence));
            return;
        }
        var before = blocked.get(place.queue());
        if (before != null && !planner.backfill().allows(head.task(), before)) {
            return;
        }
        var run = head.task().spec().fileRunLane().map(Lane.OfFileRun::run);
        if (run.filter(startingRuns::contains).isPresent()) {
            return;
        }
        var shape = place.group().shape();
        var claims = unplaceable.containsKey(shape) ? Optional.<Chosen>empty() : claims(shape);
        if (claims.isPresent() && !claims.get().unloading().isEmpty()) {
            unplaceable.putIfAbsent(shape, fleet.reservedFor());
            unloading.put(head.task().id(), claims.get().unloading());
            blocked.putIfAbsent(place.queue(), head.task());
            reserve(claims.get().gpus(), head.task(), Reservation.Scope.ALL);
        } else if (claims.isPresent()) {
            start(head, claims.get());
            run.ifPresent(startingRuns::add);
            head.nextStartable().ifPresent(heads::add);
        } else {
            unplaceable.putIfAbsent(shape, fleet.reservedFor());
            if (isPossible(shape)) {
                block(place.queue(), head.task());
            }
        }
        // Tasks behind it in its group have the same shape and would find no GPUs either.
    }

    /** The head keeps its turn, and GPUs that tasks behind it could take from it for ever. */
    private void block(QueueId queue, Task head) {
        if (blocked.putIfAbsent(queue, head) != null
                || !(head.spec().requirements().need() instanceof Need.Gpus need)) {
            return;
        }
        switch (queue.kind()) {
            case MAIN -> {
                if (need.count().min() > 1) {
                    var found = fitting.getOrDefault(Shape.of(head.spec()), List.of());
                    reserve(found, head, Reservation.Scope.LANES);
                }
            }
            case DEVICES -> {
                if (planner.backfill().keepsTurns()) {
                    reserve(namedGpus(need, Shape.of(head.spec())), head, Reservation.Scope.ALL);
                }
            }
            case CPU, LANE -> {}
        }
    }

    private void reserve(List<GpuView> views, Task head, Reservation.Scope scope) {
        fleet = fleet.withReservation(views, new Reservation(head.id(), scope));
    }

    /**
     * The GPUs that the head names, if it only waits for tasks to end. None while one of them is
     * faulty or used by another person: nobody knows for how long, and the others would be idle.
     */
    private List<GpuView> namedGpus(Need.Gpus need, Shape shape) {
        var ask = planner.requirement(need, shape);
        var indices = need.devices().map(GpuIndices::indices).orElse(new TreeSet<>());
        var named = new ArrayList<GpuView>();
        for (int index : indices) {
            for (var state : byIndex().getOrDefault(index, List.of())) {
                named.add(fleet.view(state));
            }
        }
        return named.stream()
                        .allMatch(
                                view ->
                                        planner.refusal(ask, view).stream()
                                                .allMatch(why -> why.endsWithTasks(view)))
                ? named
                : List.of();
    }

    private void start(Head head, Chosen chosen) {
        var claims = chosen.claims();
        var start = new Verdict.Start(head.task().nextAttempt(), claims, chosen.leavesTooFew());
        starts.add(start);
        fleet = fleet.with(start.attempt(), claims);
        cpuTasks += claims.isEmpty() ? 1 : 0;
        if (idle != null) {
            claims.forEach(claim -> idle.remove(claim.gpu()));
        }
        if (!claims.isEmpty()) {
            used.merge(
                    head.place().group().owner().principal(),
                    GpuUsage.decayedGpuSeconds(claims.size(), GpuUsage.MIN_CHARGE),
                    Double::sum);
        }
    }

    /**
     * The GPUs for a task.
     *
     * @param unloading workers that have to leave them first
     */
    private record Chosen(
            List<GpuView> gpus,
            List<Claim> claims,
            boolean leavesTooFew,
            List<WarmWorker> unloading) {}

    private Chosen chosen(GpuRequirement ask, List<GpuView> gpus, boolean leavesTooFew) {
        return new Chosen(
                gpus,
                Planner.claims(ask, gpus),
                leavesTooFew,
                Eviction.needed(ask, gpus, planner.rules()));
    }

    private double used(String principal) {
        return used.getOrDefault(principal, 0.0);
    }

    /** A model that is set aside may stay so for ever: its tasks block no other. */
    private boolean isPossible(Shape shape) {
        boolean isSetAside =
                shape.work()
                        .filter(ModelWork::isCall)
                        .flatMap(ModelWork::model)
                        .filter(fleet.warm().setAside()::contains)
                        .isPresent();
        if (isSetAside) {
            return false;
        }
        return !(shape.need() instanceof Need.Gpus need)
                || planner.isPossible(planner.requirement(need, shape), byIndex());
    }

    /** Built lazily: it is needed only if a task is blocked. */
    private SortedMap<Integer, List<GpuState>> byIndex() {
        if (byIndex.isEmpty()) {
            for (var entry : fleet.gpus()) {
                byIndex.computeIfAbsent(entry.getValue().gpu().index(), _ -> new ArrayList<>(1))
                        .add(entry.getValue());
            }
        }
        return byIndex;
    }

    private Optional<Chosen> claims(Shape shape) {
        return switch (shape.need()) {
            case Need.Cpu _ ->
                    planner.cpuLimit(cpuTasks).isPresent()
                            ? Optional.empty()
                            : Optional.of(new Chosen(List.of(), List.of(), false, List.of()));
            case Need.Gpus need -> {
                var ask = planner.requirement(need, shape);
                yield switch (ask.gpuSelection()) {
                    case DEFAULT -> anyGpus(ask, found(shape, ask, need.count().max()));
                    case SINGLE -> singleLane(ask, found(shape, ask, Integer.MAX_VALUE));
                    case MULTI -> multiLane(ask, found(shape, ask, Integer.MAX_VALUE));
                };
            }
        };
    }

    /** The GPUs that fit now, best first. */
    private List<GpuView> found(Shape shape, GpuRequirement ask, int most) {
        var candidates =
                fitting.computeIfAbsent(
                        shape, _ -> new ArrayList<>(planner.fitting(ask, open, from.at())));
        var found = new ArrayList<GpuView>();
        for (Iterator<GpuView> views = candidates.iterator();
                views.hasNext() && found.size() < most; ) {
            var view = fleet.view(views.next().state());
            if (planner.refusal(ask, view).isEmpty()) {
                found.add(view);
            } else {
                views.remove();
            }
        }
        return found;
    }

    /** All needed GPUs or none. */
    private Optional<Chosen> anyGpus(GpuRequirement ask, List<GpuView> found) {
        return found.size() < ask.need().count().min()
                ? Optional.empty()
                : Optional.of(chosen(ask, found, false));
    }

    /** The best GPU with which enough idle GPUs remain for other users. */
    private Optional<Chosen> singleLane(GpuRequirement ask, List<GpuView> found) {
        for (var view : found) {
            var single = List.of(view);
            if (idleWithout(single) >= planner.rules().lanes().leftForOthers()) {
                return Optional.of(chosen(ask, single, false));
            }
        }
        return Optional.empty();
    }

    /**
     * As many as fit minus those left for other users, but never fewer than the minimum; GPUs that
     * are left for others are taken last.
     */
    private Optional<Chosen> multiLane(GpuRequirement ask, List<GpuView> found) {
        var count = ask.need().count();
        if (found.size() < count.min()) {
            return Optional.empty();
        }
        int left = planner.rules().lanes().leftForOthers();
        var inOrder = new ArrayList<>(found);
        inOrder.sort(Comparator.comparing(view -> view.laneAccess() == LaneAccess.LEFT_FOR_OTHERS));
        int size = Math.min(count.max(), Math.max(count.min(), found.size() - left));
        while (size > count.min() && idleWithout(inOrder.subList(0, size)) < left) {
            size--;
        }
        var chosen = inOrder.subList(0, size);
        return Optional.of(chosen(ask, chosen, idleWithout(chosen) < left));
    }

    /** How many GPUs for lanes would stay idle if these were taken. */
    private int idleWithout(List<GpuView> taken) {
        var now = idle;
        if (now == null) {
            now = planner.idleLaneGpus(fleet);
            idle = now;
        }
        int remaining = now.size();
        for (var view : taken) {
            remaining -= now.contains(view.state().gpu().id()) ? 1 : 0;
        }
        return remaining;
    }
}
