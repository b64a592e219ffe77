package dev.berth.core.plan;

import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** A GPU at later moments: the attempts on it end one after another and free their memory. */
final class FutureGpu {

    private final GpuView now;

    /** The first to end first; those of which no end is known are last. */
    private final List<Hold> holds;

    private record Hold(AttemptId attempt, Optional<Instant> end) {}

    /**
     * A moment from which the GPU can be used.
     *
     * @param at empty if it is not known
     */
    record Opening(FutureGpu gpu, Optional<Instant> at) {}

    FutureGpu(GpuView view, Function<AttemptId, Optional<Instant>> end) {
        // What is releasing the GPU now is gone at any later moment.
        this.now = without(view, view.releasing());
        this.holds =
                view.holds().stream()
                        .map(hold -> new Hold(hold.attempt(), end(hold, end)))
                        .sorted(
                                Comparator.comparing(
                                        Hold::end,
                                        Comparator.comparing(known -> known.orElse(Instant.MAX))))
                        .toList();
    }

    /** Nobody knows when an attempt ends that Berth cannot observe or cannot end. */
    private static Optional<Instant> end(
            HeldClaim hold, Function<AttemptId, Optional<Instant>> end) {
        return hold.contact() == HeldClaim.Contact.USUAL
                ? end.apply(hold.attempt())
                : Optional.empty();
    }

    GpuView now() {
        return now;
    }

    /** The GPU when all attempts have ended whose end is not after this moment. */
    GpuView at(Instant moment) {
        return without(now, ended(moment).map(Hold::attempt).toList());
    }

    /** The attempts that should have ended before this moment. */
    Stream<AttemptId> overrunning(Instant moment) {
        return holds.stream()
                .filter(hold -> hold.end().filter(moment::isAfter).isPresent())
                .map(Hold::attempt);
    }

    private Stream<Hold> ended(Instant moment) {
        return holds.stream()
                .filter(hold -> hold.end().filter(end -> !end.isAfter(moment)).isPresent());
    }

    /**
     * When a requirement is satisfied first; empty if no end of an attempt helps.
     *
     * @param from the earliest moment
     */
    Optional<Opening> opening(Planner planner, GpuRequirement ask, Instant from) {
        if (planner.refusal(ask, now).isEmpty()) {
            return Optional.of(new Opening(this, Optional.of(from)));
        }
        for (int ended = 1; ended <= holds.size(); ended++) {
            var gone = holds.subList(0, ended).stream().map(Hold::attempt).toList();
            if (planner.refusal(ask, without(now, gone)).isEmpty()) {
                var end = holds.get(ended - 1).end();
                return Optional.of(new Opening(this, end.map(at -> at.isBefore(from) ? from : at)));
            }
        }
        return Optional.empty();
    }

    private static GpuView without(GpuView view, List<AttemptId> ended) {
        if (ended.isEmpty()) {
            return view;
        }
        var remaining =
                view.holds().stream().filter(hold -> !ended.contains(hold.attempt())).toList();
        var releasing = view.releasing().stream().filter(one -> !ended.contains(one)).toList();
        var state =
                view.state() instanceof GpuState.Readable(var gpu, GpuReading reading)
                        ? new GpuState.Readable(
                                gpu, reading.without(ended, unreportedMib(view, ended)))
                        : view.state();
        return new GpuView(
                state,
                remaining,
                releasing,
                view.releasedAt(),
                view.loadedModels(),
                view.laneAccess(),
                view.reservedFor(),
                view.warm());
    }

    /** What they claim; all that is in use if no other attempt remains. */
    private static long unreportedMib(GpuView view, List<AttemptId> ended) {
        return view.holds().stream().allMatch(hold -> ended.contains(hold.attempt()))
                ? Long.MAX_VALUE
                : view.holds().stream()
                        .filter(hold -> ended.contains(hold.attempt()))
                        .mapToLong(hold -> hold.claim().memoryMib())
                        .sum();
    }
}
