package dev.berth.core.plan;

import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A GPU at later moments: the attempts on it end one after another and free their memory.
 *
 * <p>A pass builds one of these for each GPU, so the usual case creates no streams.
 */
final class FutureGpu {

    private static final Comparator<Hold> BY_END =
            (hold, other) ->
                    hold.end().orElse(Instant.MAX).compareTo(other.end().orElse(Instant.MAX));

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
        this.holds = new ArrayList<>(view.holds().size());
        for (var hold : view.holds()) {
            holds.add(new Hold(hold.attempt(), end(hold, end)));
        }
        holds.sort(BY_END);
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
        var ended = new ArrayList<AttemptId>(holds.size());
        for (var hold : holds) {
            if (hold.end().isPresent() && !hold.end().get().isAfter(moment)) {
                ended.add(hold.attempt());
            }
        }
        return without(now, ended);
    }

    /** The attempts that should have ended before this moment. */
    List<AttemptId> overrunning(Instant moment) {
        var overrunning = new ArrayList<AttemptId>();
        for (var hold : holds) {
            if (hold.end().isPresent() && hold.end().get().isBefore(moment)) {
                overrunning.add(hold.attempt());
            }
        }
        return overrunning;
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
        var ended = new ArrayList<AttemptId>(holds.size());
        for (var hold : holds) {
            ended.add(hold.attempt());
            if (planner.refusal(ask, without(now, ended)).isEmpty()) {
                return Optional.of(
                        new Opening(this, hold.end().map(at -> at.isBefore(from) ? from : at)));
            }
        }
        return Optional.empty();
    }

    private static GpuView without(GpuView view, List<AttemptId> ended) {
        if (ended.isEmpty()) {
            return view;
        }
        var remaining = new ArrayList<>(view.holds());
        remaining.removeIf(hold -> ended.contains(hold.attempt()));
        var releasing = new ArrayList<>(view.releasing());
        releasing.removeAll(ended);
        var state =
                view.state() instanceof GpuState.Readable(var gpu, GpuReading reading)
                        ? new GpuState.Readable(
                                gpu, reading.without(ended, unreportedMib(view, ended)))
                        : view.state();
        return new GpuView(
                state,
                List.copyOf(remaining),
                List.copyOf(releasing),
                view.releasedAt(),
                view.loadedModels(),
                view.laneAccess(),
                view.reservedFor(),
                view.warm(),
                view.windows());
    }

    /** What they claim; all that is in use if no other attempt remains. */
    private static long unreportedMib(GpuView view, List<AttemptId> ended) {
        long claimedMib = 0;
        boolean isAnyLeft = false;
        for (var hold : view.holds()) {
            if (ended.contains(hold.attempt())) {
                claimedMib += hold.claim().memoryMib();
            } else {
                isAnyLeft = true;
            }
        }
        return isAnyLeft ? claimedMib : Long.MAX_VALUE;
    }
}
