package dev.berth.core.queue;

import dev.berth.core.lane.Lane;
import dev.berth.core.task.Need;

import java.time.Instant;

/**
 * Order of groups at one moment, lower first; tasks of equal precedence are ordered by rank.
 *
 * @param priorityRank ordinal of the priority
 * @param vipRank 0 for VIPs, which go first within their priority
 * @param groupPenalty usage per weight of the owner's group; a higher value goes later
 * @param penalty usage or negative weight of the owner; a higher value goes later
 * @param laneTurn order among the lanes of command files; all other tasks go before them
 */
public record Precedence(
        int priorityRank, int vipRank, double groupPenalty, double penalty, LaneTurn laneTurn)
        implements Comparable<Precedence> {

    /** For orders that use only the rank. */
    static final Precedence EQUAL = new Precedence(0, 0, 0);

    public Precedence(int priorityRank, int vipRank, double penalty) {
        this(priorityRank, vipRank, 0, penalty);
    }

    Precedence(int priorityRank, int vipRank, double groupPenalty, double penalty) {
        this(priorityRank, vipRank, groupPenalty, penalty, LaneTurn.FIRST);
    }

    /** For the head of a lane: tasks in no file lane go first, then the larger need. */
    Precedence inLane(Lane lane, Need need, Instant now) {
        return switch (lane) {
            case Lane.Named _ -> this;
            case Lane.OfFileRun run ->
                    new Precedence(
                            priorityRank,
                            vipRank,
                            groupPenalty,
                            penalty,
                            LaneTurn.of(run, need, now));
        };
    }

    @Override
    public int compareTo(Precedence other) {
        int byPriority = Integer.compare(priorityRank, other.priorityRank);
        if (byPriority != 0) {
            return byPriority;
        }
        int byKind = Integer.compare(laneTurn.kind, other.laneTurn.kind);
        if (byKind != 0) {
            return byKind;
        }
        int byVip = Integer.compare(vipRank, other.vipRank);
        if (byVip != 0) {
            return byVip;
        }
        int byGroup = Double.compare(groupPenalty, other.groupPenalty);
        if (byGroup != 0) {
            return byGroup;
        }
        int byPenalty = Double.compare(penalty, other.penalty);
        return byPenalty != 0 ? byPenalty : laneTurn.compareTo(other.laneTurn);
    }

    /**
     * Order of the heads of lanes.
     *
     * @param kind 0: in no file lane, 1: lane of a multi file, 2: lane of a single file
     * @param gpuCount number of GPUs needed; 0 for a single file
     * @param tieBreak pseudo-random and different at each moment, so that no lane is preferred
     */
    record LaneTurn(int kind, int gpuCount, long tieBreak) implements Comparable<LaneTurn> {

        static final LaneTurn FIRST = new LaneTurn(0, 0, 0);

        static LaneTurn of(Lane.OfFileRun lane, Need need, Instant now) {
            long tieBreak = tieBreak(seed(lane.run(), now), lane.queue());
            return lane.isMulti()
                    ? new LaneTurn(
                            1, need instanceof Need.Gpus gpus ? gpus.count().min() : 0, tieBreak)
                    : new LaneTurn(2, 0, tieBreak);
        }

        /** Of the turns of the lanes of a run at one moment. */
        static long seed(long run, Instant now) {
            return mix(mix(now.getEpochSecond() * 1_000_000_000L + now.getNano()) + run);
        }

        static long tieBreak(long seed, int queue) {
            return mix(seed + queue);
        }

        /** The finalizer of SplitMix64: each input bit changes about half of the output bits. */
        private static long mix(long seed) {
            long bits = seed + 0x9E3779B97F4A7C15L;
            bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
            bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
            return bits ^ (bits >>> 31);
        }

        @Override
        public int compareTo(LaneTurn other) {
            int byKind = Integer.compare(kind, other.kind);
            if (byKind != 0) {
                return byKind;
            }
            int byNeed = Integer.compare(other.gpuCount, gpuCount);
            return byNeed != 0 ? byNeed : Long.compare(tieBreak, other.tieBreak);
        }
    }
}
