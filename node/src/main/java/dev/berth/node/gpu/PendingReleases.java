package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.port.Fact.Departure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Attempts that have ended and may still be on their GPUs, because the driver needs time to release
 * the memory of a killed process. An attempt is off its GPUs if a reading that started after its
 * end shows none of its processes. Reads no clock.
 */
final class PendingReleases {

    /** Longer than a driver needs. If processes cannot be seen, the wait ends after this time. */
    static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(10);

    /** A GPU with less memory in use has no compute process. */
    private static final int EMPTY_PERCENT = 5;

    private final List<Ended> pending = new ArrayList<>();

    /**
     * @param unknownPids pids whose owner was already unknown before the end, so they do not belong
     *     to this attempt
     */
    private record Ended(AttemptId attempt, List<GpuId> gpus, Set<Long> unknownPids, long since) {}

    private enum Presence {
        OFF,
        ON,
        /** Cannot be determined. */
        HIDDEN
    }

    void add(AttemptId attempt, List<Claim> claims, GpuStates states, long now) {
        var gpus = claims.stream().map(Claim::gpu).toList();
        var unknownPids = new HashSet<Long>();
        for (var gpu : gpus) {
            if (states.state(gpu).orElse(null)
                    instanceof GpuState.Readable(_, GpuReading reading)) {
                reading.processes().orElse(List.of()).stream()
                        .filter(process -> process.owner() instanceof ProcessOwner.Unknown)
                        .map(GpuProcess::pid)
                        .forEach(unknownPids::add);
            }
        }
        pending.add(new Ended(attempt, gpus, unknownPids, now));
    }

    /**
     * True if readings should come quickly. An attempt that stays on its GPU for long is checked at
     * the usual interval.
     */
    boolean hasRecent(long now) {
        return pending.stream().anyMatch(ended -> now - ended.since() < RELEASE_TIMEOUT.toNanos());
    }

    /** True if a reading started at this time was too early for one of them. */
    boolean hasEndedAfter(long requestedAt) {
        return pending.stream().anyMatch(ended -> ended.since() - requestedAt > 0);
    }

    /**
     * The attempts that are off their GPUs by the present states, which were requested at {@code
     * begun}.
     */
    List<Departure> findReleased(GpuStates states, long requestedAt, long now) {
        var released = new ArrayList<Departure>();
        if (states.readFailure().isPresent()) {
            return released;
        }
        for (var ended : List.copyOf(pending)) {
            if (requestedAt - ended.since() < 0) {
                continue;
            }
            var presence = presence(ended, states);
            boolean isTimedOut = now - ended.since() >= RELEASE_TIMEOUT.toNanos();
            if (presence == Presence.OFF || (presence == Presence.HIDDEN && isTimedOut)) {
                pending.remove(ended);
                released.add(new Departure(ended.attempt(), presence == Presence.OFF));
            }
        }
        return released;
    }

    private static Presence presence(Ended ended, GpuStates states) {
        var presence = Presence.OFF;
        for (var gpu : ended.gpus()) {
            // No task starts on a GPU that cannot be read, so it needs no check.
            if (states.state(gpu).orElse(null)
                    instanceof GpuState.Readable(var device, var reading)) {
                var onGpu = presence(ended, reading, device.totalMib());
                if (onGpu == Presence.ON) {
                    return onGpu;
                }
                presence = onGpu == Presence.HIDDEN ? onGpu : presence;
            }
        }
        return presence;
    }

    private static Presence presence(Ended ended, GpuReading reading, long totalMib) {
        if (reading.processes().isEmpty()) {
            boolean isEmpty =
                    reading.usedMib().isPresent()
                            && reading.usedMib().getAsLong() * 100 < totalMib * EMPTY_PERCENT;
            return isEmpty ? Presence.OFF : Presence.HIDDEN;
        }
        var presence = Presence.OFF;
        for (var process : reading.processes().get()) {
            if (process.owner() instanceof ProcessOwner.BerthAttempt(var attempt)
                    && attempt.equals(ended.attempt())) {
                return Presence.ON;
            }
            if (process.owner() instanceof ProcessOwner.Unknown
                    && !ended.unknownPids().contains(process.pid())) {
                presence = Presence.HIDDEN;
            }
        }
        return presence;
    }
}
