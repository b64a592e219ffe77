package dev.berth.core.plan;

import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.lane.GpuSelection;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.model.WarmWorker;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A rule about one GPU: empty if satisfied, otherwise the reason. It may read only what all tasks
 * of one shape have in common, because the result is shared by the shape.
 *
 * <p>A pass checks every GPU several times, so the usual case of a rule creates no streams.
 */
@FunctionalInterface
public interface Constraint {

    Optional<Refusal> refusal(GpuRequirement ask, GpuView view);

    Constraint MODEL =
            (ask, view) -> {
                var type = ask.need().type();
                var model = view.state().gpu().model();
                return type.isEmpty() || type.get().equals(model)
                        ? Optional.empty()
                        : Optional.of(new Refusal.WrongModel(type.get(), model));
            };

    Constraint NAMED =
            (ask, view) -> {
                var named = ask.need().devices();
                return named.isEmpty() || named.get().indices().contains(view.state().gpu().index())
                        ? Optional.empty()
                        : Optional.of(new Refusal.NotRequested(named.get()));
            };

    Constraint SIZE =
            (ask, view) -> {
                long neededMib = ask.neededMib().orElse(0) + ask.marginMib();
                long total = view.state().gpu().totalMib();
                return neededMib > total
                        ? Optional.of(new Refusal.TooSmall(neededMib, total))
                        : Optional.empty();
            };

    /** Only sharing attempts may hold the same GPU. */
    Constraint NOT_HELD =
            (ask, view) -> {
                for (var hold : view.holds()) {
                    if (hold.claim().isExclusive() || !ask.isShared()) {
                        return Optional.of(held(hold));
                    }
                }
                return Optional.empty();
            };

    private static Refusal held(HeldClaim hold) {
        return switch (hold.contact()) {
            case USUAL -> new Refusal.Held(hold.attempt());
            case LOST -> new Refusal.HeldByLost(hold.attempt());
            case STUCK -> new Refusal.HeldByStuck(hold.attempt());
        };
    }

    /** A value that the driver does not report never counts as free. */
    Constraint READABLE =
            (ask, view) ->
                    switch (view.state()) {
                        case GpuState.Unknown(_, String why) ->
                                Optional.of(new Refusal.Unreadable(why));
                        case GpuState.Failed(_, String why) -> Optional.of(new Refusal.Failed(why));
                        case GpuState.Quarantined(_, String why, _) ->
                                Optional.of(new Refusal.Quarantined(why));
                        case GpuState.Readable(_, var reading) ->
                                reading.freeMib().isEmpty() || reading.usedMib().isEmpty()
                                        ? Optional.of(
                                                new Refusal.Unreadable(
                                                        "the driver reports no memory use"))
                                        : Optional.empty();
                    };

    /** A GPU is reused only when a reading after the end shows no process of the attempt. */
    Constraint RELEASED =
            (ask, view) ->
                    view.releasing().isEmpty()
                            ? leftoverProcess(view)
                            : Optional.of(new Refusal.NotYetReleased(view.releasing().getFirst()));

    private static Optional<Refusal> leftoverProcess(GpuView view) {
        for (var process : view.processes()) {
            if (process.owner() instanceof ProcessOwner.BerthAttempt(AttemptId attempt)
                    && !view.isOfWorker(process)
                    && view.holds().stream().noneMatch(hold -> hold.attempt().equals(attempt))) {
                return Optional.of(new Refusal.LeftoverProcess(attempt, process));
            }
        }
        return Optional.empty();
    }

    Constraint MEMORY =
            (ask, view) -> {
                if (ask.neededMib().isEmpty()
                        || !(view.state() instanceof GpuState.Readable(_, GpuReading reading))) {
                    return Optional.empty();
                }
                long needed = ask.neededMib().getAsLong();
                long headroom =
                        Headroom.mib(reading, view.holds()).orElse(0) + Eviction.freeableMib(view);
                return headroom - ask.marginMib() < needed
                        ? Optional.of(
                                new Refusal.NotEnoughMemory(
                                        needed, ask.marginMib(), headroom, others(view)))
                        : Optional.empty();
            };

    /**
     * For tasks without stated memory: the GPU is available while its memory use is below the
     * threshold; a use equal to the threshold is too much.
     */
    static Constraint belowThreshold(int thresholdPercent) {
        return (ask, view) -> {
            if (ask.neededMib().isPresent()
                    || !(view.state() instanceof GpuState.Readable(var gpu, GpuReading reading))
                    || reading.usedMib().isEmpty()) {
                return Optional.empty();
            }
            long used = reading.usedMib().getAsLong() - Eviction.freeableMib(view);
            return used * 100 >= gpu.totalMib() * thresholdPercent
                    ? Optional.of(
                            new Refusal.InUse(used, gpu.totalMib(), thresholdPercent, others(view)))
                    : Optional.empty();
        };
    }

    /** The workers of its model fail again and again. */
    Constraint NOT_SET_ASIDE =
            (ask, view) ->
                    ask.isCall()
                            ? ask.model()
                                    .flatMap(model -> view.warm().setAside().get(model))
                                    .map(
                                            why ->
                                                    new Refusal.ModelSetAside(
                                                            ask.model().orElse(""), why))
                            : Optional.empty();

    /** A task that names no GPU waits for one with its model where a load would take longer. */
    Constraint WARM_FIRST =
            (ask, view) -> {
                boolean isFree =
                        ask.isCall()
                                && ask.need().devices().isEmpty()
                                && ask.need().type().isEmpty();
                if (!isFree || ask.model().isEmpty()) {
                    return Optional.empty();
                }
                var model = ask.model().get();
                return view.warm()
                        .waits()
                        .get(model)
                        .filter(_ -> view.workers().stream().noneMatch(isOf(model)))
                        .map(one -> new Refusal.WarmElsewhere(model, one.load(), one.expected()));
            };

    private static Predicate<WarmWorker> isOf(String model) {
        return worker -> worker.model().equals(model) && !worker.isStopping();
    }

    static Constraint inPool(GpuPool pool) {
        return (ask, view) -> {
            int index = view.state().gpu().index();
            if (pool.reserved().contains(index)) {
                return Optional.of(new Refusal.Reserved());
            }
            return pool.allowed().isPresent() && !pool.allowed().get().contains(index)
                    ? Optional.of(new Refusal.OutsidePool())
                    : Optional.empty();
        };
    }

    /** Which GPUs the lanes of file runs may use. */
    Constraint LANES =
            (ask, view) -> {
                if (!ask.gpuSelection().yieldsToOthers()) {
                    return Optional.empty();
                }
                return switch (view.laneAccess()) {
                    case DENIED -> Optional.of(new Refusal.NotForLanes());
                    case LEFT_FOR_OTHERS ->
                            ask.gpuSelection() == GpuSelection.SINGLE
                                    ? Optional.of(new Refusal.LeftForOthers())
                                    : reserved(view);
                    case ALLOWED -> reserved(view);
                };
            };

    private static Optional<Refusal> reserved(GpuView view) {
        return view.reservedFor().map(HeadReservation::task).map(Refusal.ReservedFor::new);
    }

    /** A head that needs exactly this GPU keeps it from all tasks behind it. */
    Constraint NOT_RESERVED =
            (ask, view) ->
                    view.reservedFor()
                            .filter(one -> one.scope() == HeadReservation.Scope.ALL)
                            .map(HeadReservation::task)
                            .map(Refusal.ReservedFor::new);

    /** Reserved for others, now or before the time limit ends the task. */
    Constraint OUTSIDE_RESERVATIONS =
            (ask, view) -> {
                if (ask.closed().isEmpty()) {
                    return Optional.empty();
                }
                for (var window : view.windows()) {
                    if (ask.closed().contains(window.id())) {
                        return Optional.of(new Refusal.ReservedForOthers(window));
                    }
                }
                return Optional.empty();
            };

    /** Lanes do not use a GPU on which their own user runs Python outside Berth. */
    static Constraint withoutOwnPython(LaneRules lanes) {
        return (ask, view) ->
                ask.gpuSelection().yieldsToOthers() && !lanes.isExtreme()
                        ? view.processes().stream()
                                .filter(GpuProcess::isOwnPythonProcess)
                                .max(BY_MEMORY)
                                .map(Refusal.OwnPython::new)
                        : Optional.empty();
    }

    static Constraint foreignProcesses(ForeignProcessPolicy foreign) {
        return switch (foreign) {
            case FIT -> (ask, view) -> Optional.empty();
            case YIELD ->
                    (ask, view) ->
                            view.processes().isEmpty()
                                    ? unlistedProcesses(view)
                                    : otherUsersProcess(view);
        };
    }

    private static Optional<Refusal> otherUsersProcess(GpuView view) {
        return view.processes().stream()
                .filter(GpuProcess::isOtherUsersCompute)
                .max(BY_MEMORY)
                .map(Refusal.OtherUsersProcess::new);
    }

    /** If the driver does not list the processes, another user may be computing. */
    private static Optional<Refusal> unlistedProcesses(GpuView view) {
        return view.state() instanceof GpuState.Readable(_, GpuReading reading)
                        && reading.processes().isEmpty()
                ? Optional.of(
                        new Refusal.Unreadable(
                                "the driver does not list the processes on it (with foreign: fit"
                                        + " memory alone decides)"))
                : Optional.empty();
    }

    /**
     * Constraints that also a forced start must satisfy. Those that never change come first, so
     * that they are the reason shown.
     */
    static List<Constraint> mandatory(SchedulingRules rules) {
        return List.of(
                MODEL,
                NAMED,
                SIZE,
                NOT_SET_ASIDE,
                inPool(rules.pool()),
                LANES,
                NOT_HELD,
                NOT_RESERVED,
                READABLE,
                RELEASED);
    }

    /** Constraints that a forced start skips: reservations, memory use and processes. */
    static List<Constraint> waivable(SchedulingRules rules) {
        return List.of(
                OUTSIDE_RESERVATIONS,
                WARM_FIRST,
                withoutOwnPython(rules.lanes()),
                foreignProcesses(rules.foreign()),
                MEMORY,
                belowThreshold(rules.memoryThresholdPercent()));
    }

    /** Equal memory: the lower pid counts as larger, so that the result is deterministic. */
    Comparator<GpuProcess> BY_MEMORY =
            Comparator.comparingLong((GpuProcess process) -> process.usedMib().orElse(0))
                    .thenComparing(Comparator.comparingLong(GpuProcess::pid).reversed());

    /** The largest processes outside Berth, largest first. */
    private static List<GpuProcess> others(GpuView view) {
        return view.processes().stream()
                .filter(process -> !(process.owner() instanceof ProcessOwner.BerthAttempt))
                .sorted(BY_MEMORY.reversed())
                .limit(MAX_NAMED)
                .toList();
    }

    int MAX_NAMED = 3;
}
