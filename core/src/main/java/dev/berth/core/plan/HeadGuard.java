package dev.berth.core.plan;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.FutureGpu.Opening;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Keeps the start of a waiting head from tasks behind it (EASY backfill). The start is the earliest
 * time at which the head fits by the bounds of running tasks. A task behind it may start if it has
 * ended by then, or on GPUs without which the head still fits at that time. If the start is not
 * known, it may start only on GPUs that the head can never use.
 */
final class HeadGuard {

    /**
     * A task that runs longer than expected counts as about to end, so that it keeps no other GPU
     * idle. A head that has waited this long no longer relies on that, so that it does not wait for
     * ever.
     */
    static final Duration PATIENCE = Duration.ofDays(2);

    private static final Comparator<Opening> EARLIEST_FIRST =
            (opening, other) -> {
                int byTime = opening.at().orElseThrow().compareTo(other.at().orElseThrow());
                return byTime != 0 ? byTime : Integer.compare(index(opening), index(other));
            };

    private static int index(Opening opening) {
        return opening.gpu().now().state().gpu().index();
    }

    private final Planner planner;
    private final GpuRequirement ask;
    private final PromisedStart promise;
    private final Instant now;

    /** The GPUs that the head can use at its start, as they will be then. */
    private final TreeMap<GpuId, GpuView> ready = new TreeMap<>();

    /** Those of them that are not free yet, although their tasks should have ended. */
    private final TreeSet<GpuId> overdue = new TreeSet<>();

    private final boolean waitsForTasks;

    /**
     * @param head needs GPUs
     * @param end the latest end of each attempt, if known
     */
    HeadGuard(
            Planner planner,
            Fleet fleet,
            Task head,
            Instant now,
            Function<AttemptId, Optional<Instant>> end) {
        var need = (Need.Gpus) head.spec().requirements().need();
        this.planner = planner;
        this.now = now;
        this.ask = planner.requirement(need, fleet.placing(head));
        var openings = new ArrayList<Opening>();
        for (var view : FleetViews.of(fleet)) {
            var refusal = planner.refusal(ask, view);
            if (refusal.isEmpty() || !refusal.get().isPermanent()) {
                new FutureGpu(view, end).opening(planner, ask, now).ifPresent(openings::add);
            }
        }
        this.waitsForTasks = openings.size() >= neededCount();
        openings.removeIf(opening -> opening.at().isEmpty());
        openings.sort(EARLIEST_FIRST);
        this.promise = promise(head, openings);
        promise.at().ifPresent(start -> collectReady(openings, start));
        if (!head.waitingSince().plus(PATIENCE).isAfter(now)) {
            openings.stream()
                    .map(Opening::gpu)
                    .filter(gpu -> !gpu.overrunning(now).isEmpty())
                    .forEach(gpu -> overdue.add(gpu.now().state().gpu().id()));
        }
    }

    private PromisedStart promise(Task head, List<Opening> openings) {
        if (openings.size() < neededCount()) {
            return new PromisedStart(head, Optional.empty(), List.of(), List.of());
        }
        var first = openings.subList(0, neededCount());
        return new PromisedStart(
                head,
                first.getLast().at(),
                first.stream().map(opening -> opening.gpu().now().state().gpu().id()).toList(),
                first.stream()
                        .flatMap(opening -> opening.gpu().overrunning(now).stream())
                        .distinct()
                        .toList());
    }

    private void collectReady(List<Opening> openings, Instant start) {
        for (var opening : openings) {
            if (!opening.at().orElseThrow().isAfter(start)) {
                var then = opening.gpu().at(start);
                ready.put(then.state().gpu().id(), then);
            }
        }
    }

    private int neededCount() {
        return ask.need().count().min();
    }

    PromisedStart promise() {
        return promise;
    }

    /**
     * False if the head would not start even if all tasks ended: nobody knows how long it waits, so
     * other queues do not wait for it.
     */
    boolean waitsForTasks() {
        return waitsForTasks;
    }

    /** Whether a task that starts now has ended when the head starts. */
    boolean isShort(Optional<Duration> length) {
        return promise.at().isPresent()
                && length.isPresent()
                && !now.plus(length.get()).isAfter(promise.at().get());
    }

    /** Selects the GPUs that a task of any length may use, asked in order of preference. */
    Predicate<GpuView> selection(GpuRequirement other, AttemptId attempt) {
        int certain = ready.size();
        for (var gpu : overdue) {
            certain -= ready.containsKey(gpu) ? 1 : 0;
        }
        int[] spare = {certain - neededCount()};
        return view -> isHarmless(other, attempt, view) || spare[0]-- > 0;
    }

    private boolean isHarmless(GpuRequirement other, AttemptId attempt, GpuView view) {
        if (promise.at().isEmpty()) {
            return isReserved(view) || !planner.isSuitable(ask, view.state());
        }
        var then = ready.get(view.state().gpu().id());
        if (then == null) {
            return true;
        }
        var claim = Planner.claims(other, List.of(view)).getFirst();
        return planner.refusal(ask, with(then, new HeldClaim(attempt, claim))).isEmpty();
    }

    /** The head cannot use the GPU, because it is reserved for others. */
    private boolean isReserved(GpuView view) {
        for (var window : view.windows()) {
            if (ask.closed().contains(window.id())) {
                return true;
            }
        }
        return false;
    }

    /** A task has started that may still run at the head's start. */
    void started(AttemptId attempt, List<Claim> claims) {
        for (var claim : claims) {
            var then = ready.get(claim.gpu());
            if (then != null) {
                var after = with(then, new HeldClaim(attempt, claim));
                if (planner.refusal(ask, after).isEmpty()) {
                    ready.put(claim.gpu(), after);
                } else {
                    ready.remove(claim.gpu());
                }
            }
        }
    }

    private static GpuView with(GpuView view, HeldClaim claim) {
        var holds = new ArrayList<>(view.holds());
        holds.add(claim);
        return view.withHolds(holds);
    }
}
