package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.LaneAccess;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.TaskGroup;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.queue.WaitingTasks.Head;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * One scheduling pass: takes the heads in order and the GPUs that fit each, until no task can
 * start.
 *
 * <p>Starts only reduce the available GPUs. So a shape that found no GPUs finds none later in the
 * same pass, and a list of fitting GPUs only gets shorter: all GPUs are checked once per shape.
 */
final class SchedulingPass {

    private static final int ALL = Integer.MAX_VALUE;

    private final Planner planner;
    private final Snapshot from;
    private final WaitingTasks waiting;
    private final PriorityQueue<Head> heads = new PriorityQueue<>(Head.ORDER);

    /** Placings that found no GPUs, with the reservations at that time. */
    private final TreeMap<Placing, PersistentMap<GpuId, HeadReservation>> unplaceable =
            new TreeMap<>();

    private final TreeMap<Placing, List<GpuView>> fitting = new TreeMap<>();
    private final Map<String, Double> used;
    private final List<Verdict.Start> starts = new ArrayList<>();
    private final TreeMap<QueueId, Task> blocked = new TreeMap<>();
    private final List<GpuView> open;

    /** The workers that have to leave before a task can start. */
    private final TreeMap<TaskId, List<WarmWorker>> unloading = new TreeMap<>();

    /** File runs of which a task is being started: the next one waits until that one runs. */
    private final TreeSet<Long> startingRuns;

    /** Idle GPUs among those for lanes; computed when the first lane needs it. */
    private @Nullable SortedSet<GpuId> idle;

    private final Placings placings;
    private final HeadGuards guards;
    private final OwnerGate gate;

    /** Heads of owners over their budget: they are considered after all others. */
    private final List<Head> overBudget = new ArrayList<>();

    private boolean isBudgetChecked = true;

    /** Shapes that fit only on GPUs which protected heads need, with the ids of these heads. */
    private final TreeSet<String> onlyShort = new TreeSet<>();

    /** How many tasks that run too long were skipped in search of shorter ones. */
    private int examined;

    private Fleet fleet;
    private int cpuTasks;

    SchedulingPass(Planner planner, Snapshot from) {
        this.planner = planner;
        this.from = from;
        this.waiting = from.waiting();
        this.used = new LinkedHashMap<>(from.usedGpuSeconds());
        var reserved = from.fleet().with(planner.reservations(from));
        var all =
                planner.rules().modelCache().isWarmAwaited()
                        ? reserved.with(AffinityWait.decide(from))
                        : reserved;
        this.fleet = waiting.lanes().queued().isEmpty() ? all : all.withLaneGpus(planner.rules());
        this.placings = new Placings(planner, fleet);
        this.guards = new HeadGuards(planner, from);
        this.gate = new OwnerGate(planner.rules().limits(), from);
        this.startingRuns = new TreeSet<>(from.starts().startingRuns());
        this.open = fleet.claimable();
        this.cpuTasks = from.starts().cpuTasks();
    }

    Plan run() {
        if (from.starts().pause().isEmpty()) {
            heads.addAll(waiting.heads(this::used, from.at(), startingRuns, this::isOpen));
            considerAll();
            if (!gate.hasWaiting()) {
                isBudgetChecked = false;
                heads.addAll(overBudget);
                considerAll();
            }
        }
        return new Plan(
                starts,
                blocked,
                fleet,
                cpuTasks,
                unplaceable,
                startingRuns,
                unloading,
                guards.promise(),
                gate.result());
    }

    /** A limit that is reached stays reached in this pass: starts only reduce what is left. */
    private boolean isOpen(TaskGroup group) {
        return !gate.isClosed(group.owner(), group.shape().need());
    }

    private void considerAll() {
        while (!heads.isEmpty()) {
            consider(heads.remove());
        }
    }

    private void consider(Head head) {
        var place = head.place();
        var shape = place.group().shape();
        // The tasks behind it in its group have the same owner and the same need.
        if (!isOpen(place.group())) {
            return;
        }
        if (isBudgetChecked && gate.isOverBudget(place.group().owner(), shape.need())) {
            overBudget.add(head);
            return;
        }
        // Only starts change the usage of owners.
        var precedence =
                starts.isEmpty()
                        ? place.precedence()
                        : waiting.precedence(place, this::used, from.at());
        if (!precedence.equals(place.precedence())) {
            heads.add(head.with(precedence));
            return;
        }
        boolean isBlocked =
                planner.backfill() instanceof Backfill.Off && blocked.containsKey(place.queue());
        if (isBlocked || isSpaced(head.task())) {
            return;
        }
        var placing = placings.of(place.group(), head.task());
        if (unplaceable.containsKey(placing)) {
            setUnplaceable(head, placing);
            return;
        }
        var before = guards.before(place.queue());
        if (guards.isShort(head.task(), before)) {
            takeOrBlock(head, placing, claims(head, placing, _ -> true));
        } else {
            considerLong(head, placing, before);
        }
    }

    /** Another task of its file run is being started. */
    private boolean isSpaced(Task task) {
        return task.spec()
                .fileRunLane()
                .filter(lane -> startingRuns.contains(lane.run()))
                .isPresent();
    }

    /** It may still run when heads before it start: it gets only GPUs that they do not need. */
    private void considerLong(Head head, Placing placing, List<HeadGuard> before) {
        var protectedHeads = before.stream().map(guard -> guard.promise().head().id()).toList();
        var key = protectedHeads + " " + placing.key();
        if (!onlyShort.contains(key)) {
            var found = claims(head, placing, guards.selection(head.task(), before));
            if (found.isPresent()) {
                takeOrBlock(head, placing, found);
                return;
            }
        }
        if (claims(head, placing, _ -> true).isEmpty()) {
            setUnplaceable(head, placing);
        } else {
            onlyShort.add(key);
            nextShort(head, before).ifPresent(heads::add);
        }
    }

    /** The next task of the group that has ended when the heads before it start. */
    private Optional<Head> nextShort(Head head, List<HeadGuard> before) {
        return nextOfGroup(head, task -> guards.isShort(task, before));
    }

    /** Tasks behind an unplaceable one in its group differ from it only by their time limits. */
    private Optional<Head> nextOfOtherPlacing(Head head, Placing placing) {
        var closed = placing.closed();
        // To tasks without a limit all reservations for others are closed.
        Predicate<Task> isOther =
                task ->
                        task.spec().options().timeLimit().isPresent()
                                && !placings.closedTo(task).containsAll(closed);
        return closed.isEmpty() ? Optional.empty() : nextOfGroup(head, isOther);
    }

    /** The next task of the group for which this holds; not all of a long group are examined. */
    private Optional<Head> nextOfGroup(Head head, Predicate<Task> isWanted) {
        // Greedy backfill protects a head only after a long wait, then with the usual limits.
        var limits = planner.backfill() instanceof Backfill.Safe safe ? safe : new Backfill.Safe();
        int max = Math.min(limits.maxExamined(), limits.maxExaminedInPass() - examined);
        var next = head.next();
        for (int i = 0; i < max && next.isPresent(); i++) {
            if (isWanted.test(next.get().task())) {
                return next;
            }
            examined++;
            next = next.get().next();
        }
        return Optional.empty();
    }

    private void takeOrBlock(Head head, Placing placing, Optional<Chosen> found) {
        if (found.isEmpty()) {
            setUnplaceable(head, placing);
        } else if (found.get().unloading().isEmpty()) {
            start(head, found.get());
            var fileLane = head.task().spec().fileRunLane();
            fileLane.ifPresent(lane -> startingRuns.add(lane.run()));
            if (fileLane.isEmpty()) {
                head.next().ifPresent(heads::add);
            }
        } else {
            unplaceable.putIfAbsent(placing, fleet.reservedFor());
            unloading.put(head.task().id(), found.get().unloading());
            guards.started(head.task(), found.get().claims());
            if (!(planner.backfill() instanceof Backfill.Safe)) {
                blocked.putIfAbsent(head.place().queue(), head.task());
            }
            reserve(found.get().gpus(), head.task(), HeadReservation.Scope.ALL);
        }
    }

    private void setUnplaceable(Head head, Placing placing) {
        unplaceable.putIfAbsent(placing, fleet.reservedFor());
        if (placings.isPossible(placing)) {
            block(head.place().queue(), head.task(), placing);
            if (placing.shape().need() instanceof Need.Gpus) {
                gate.waits(head.task());
            }
        }
        nextOfOtherPlacing(head, placing).ifPresent(heads::add);
    }

    /** The head keeps its turn, and GPUs that tasks behind it could take from it for ever. */
    private void block(QueueId queue, Task head, Placing placing) {
        boolean isSafe = planner.backfill().protects(head, from.at());
        boolean isFirst =
                isSafe
                        ? guards.protect(queue, head, placing.shape(), fleet)
                        : !blocked.containsKey(queue);
        if (!isFirst) {
            return;
        }
        blocked.putIfAbsent(queue, head);
        if (!isSafe || guards.promise().isEmpty()) {
            keepFromLanes(queue, head, placing);
        }
        if (planner.backfill() instanceof Backfill.Off) {
            keepNamed(queue, head, placing);
        }
    }

    private void keepFromLanes(QueueId queue, Task head, Placing placing) {
        if (queue.kind() == QueueId.Kind.MAIN
                && head.spec().requirements().need() instanceof Need.Gpus need
                && need.count().min() > 1) {
            var found = fitting.getOrDefault(placing, List.of());
            reserve(found, head, HeadReservation.Scope.LANES);
        }
    }

    private void keepNamed(QueueId queue, Task head, Placing placing) {
        if (queue.kind() == QueueId.Kind.DEVICES
                && head.spec().requirements().need() instanceof Need.Gpus need) {
            reserve(namedGpus(need, placing), head, HeadReservation.Scope.ALL);
        }
    }

    private void reserve(List<GpuView> views, Task head, HeadReservation.Scope scope) {
        fleet = fleet.withReservation(views, new HeadReservation(head.id(), scope));
    }

    /**
     * The GPUs that the head names, if it only waits for tasks to end. None while one of them is
     * faulty or used by another person: nobody knows for how long, and the others would be idle.
     */
    private List<GpuView> namedGpus(Need.Gpus need, Placing placing) {
        var ask = planner.requirement(need, placing);
        var indices = need.devices().map(GpuIndices::indices).orElse(new TreeSet<>());
        var named = new ArrayList<GpuView>();
        for (int index : indices) {
            for (var state : placings.gpus(index)) {
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
        guards.started(head.task(), claims);
        fleet = fleet.with(start.attempt(), claims);
        cpuTasks += claims.isEmpty() ? 1 : 0;
        var owner = head.place().group().owner();
        gate.started(owner, claims.size());
        if (idle != null) {
            claims.forEach(claim -> idle.remove(claim.gpu()));
        }
        if (!claims.isEmpty()) {
            double charge = GpuUsage.decayedGpuSeconds(claims.size(), GpuUsage.MIN_CHARGE);
            waiting.order().chargedKeys(owner).forEach(key -> used.merge(key, charge, Double::sum));
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

    /**
     * @param isAllowed asked about each GPU that fits, best first
     */
    private Optional<Chosen> claims(Head head, Placing placing, Predicate<GpuView> isAllowed) {
        return switch (placing.shape().need()) {
            case Need.Cpu _ ->
                    planner.cpuLimit(cpuTasks).isPresent()
                            ? Optional.empty()
                            : Optional.of(new Chosen(List.of(), List.of(), false, List.of()));
            case Need.Gpus need -> {
                var ask = planner.requirement(need, placing);
                int left = gate.gpusLeft(head.place().group().owner());
                int most = Math.min(need.count().max(), left);
                yield switch (ask.gpuSelection()) {
                    case DEFAULT -> anyGpus(ask, found(placing, most, isAllowed));
                    case SINGLE -> singleLane(ask, found(placing, ALL, isAllowed));
                    case MULTI -> multiLane(ask, found(placing, ALL, isAllowed), most);
                };
            }
        };
    }

    /** The GPUs that fit now, best first. */
    private List<GpuView> found(Placing placing, int most, Predicate<GpuView> isAllowed) {
        var ask = planner.requirement((Need.Gpus) placing.shape().need(), placing);
        var candidates =
                fitting.computeIfAbsent(
                        placing, _ -> new ArrayList<>(planner.fitting(ask, open, from.at())));
        var found = new ArrayList<GpuView>();
        for (Iterator<GpuView> views = candidates.iterator();
                views.hasNext() && found.size() < most; ) {
            var view = fleet.view(views.next().state());
            if (planner.refusal(ask, view).isPresent()) {
                views.remove();
            } else if (isAllowed.test(view)) {
                found.add(view);
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
    private Optional<Chosen> multiLane(GpuRequirement ask, List<GpuView> found, int most) {
        var count = ask.need().count();
        if (found.size() < count.min()) {
            return Optional.empty();
        }
        int left = planner.rules().lanes().leftForOthers();
        var inOrder = new ArrayList<>(found);
        inOrder.sort(Comparator.comparing(view -> view.laneAccess() == LaneAccess.LEFT_FOR_OTHERS));
        int size = Math.min(most, Math.max(count.min(), found.size() - left));
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
