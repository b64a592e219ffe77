package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Signs of a faulty GPU that are not enough to quarantine it. A restart may forget them.
 *
 * @param failures failures on the GPU since the last success that look like a GPU fault
 * @param recoveredAt when the GPU last passed its test and returned
 * @param unreadable GPUs that cannot be read while others can
 */
public record GpuSuspicions(
        PersistentMap<GpuId, List<SuspectFailure>> failures,
        PersistentMap<GpuId, Instant> recoveredAt,
        PersistentMap<GpuId, UnreadableSince> unreadable) {

    static final GpuSuspicions NONE =
            new GpuSuspicions(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());

    /** Older signs do not count. */
    static final Duration WINDOW = Duration.ofHours(1);

    /** Failures that make a fault likely, if they come from more than one command. */
    private static final int MIN_FAILURES = 3;

    /** Limits the memory used for a command that is retried again and again. */
    private static final int MAX_KEPT = 10;

    /** A command failed in a way that looks like a GPU fault. */
    public record SuspectFailure(long commandHash, Instant at) {}

    /**
     * The GPU cannot be read.
     *
     * @param isReported whether an alert was raised
     */
    public record UnreadableSince(Instant since, String why, boolean isReported) {}

    GpuSuspicions with(GpuId card, SuspectFailure sign) {
        var recent = new ArrayList<SuspectFailure>();
        for (var one : failures.get(card).orElse(List.of())) {
            if (one.at().plus(WINDOW).isAfter(sign.at())) {
                recent.add(one);
            }
        }
        recent.add(sign);
        var newest = recent.subList(Math.max(0, recent.size() - MAX_KEPT), recent.size());
        return new GpuSuspicions(failures.with(card, List.copyOf(newest)), recoveredAt, unreadable);
    }

    /** If only one command fails, the command is at fault rather than the GPU. */
    boolean isFaultLikely(GpuId card) {
        var there = failures.get(card).orElse(List.of());
        return there.size() >= MIN_FAILURES
                && there.stream().map(SuspectFailure::commandHash).distinct().count() > 1;
    }

    GpuSuspicions withoutFailures(GpuId card) {
        return failures.contains(card)
                ? new GpuSuspicions(failures.without(card), recoveredAt, unreadable)
                : this;
    }

    GpuSuspicions recovered(GpuId card, Instant at) {
        return new GpuSuspicions(failures.without(card), recoveredAt.with(card, at), unreadable);
    }

    /** Whether the GPU passed its test less than {@link #WINDOW} ago. */
    boolean isRelapse(GpuId card, Instant at) {
        return recoveredAt.get(card).filter(then -> then.plus(WINDOW).isAfter(at)).isPresent();
    }

    GpuSuspicions with(PersistentMap<GpuId, UnreadableSince> others) {
        return new GpuSuspicions(failures, recoveredAt, others);
    }
}
