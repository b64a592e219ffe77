package dev.berth.store;

import java.util.List;

/**
 * What the usage of a period needs of one task. Times are in microseconds.
 *
 * @param status as stored
 * @param finishedAt {@link Long#MAX_VALUE} if it has not ended
 */
record UsedTask(String owner, String status, long finishedAt, List<UsedAttempt> attempts) {

    static final long NEVER = Long.MAX_VALUE;

    /** A value that is not known. */
    static final long UNKNOWN = -1;

    /**
     * One attempt of it.
     *
     * @param endedAt {@link #NEVER} if it lives
     * @param gpus how many it holds or held
     * @param percent mean utilisation, or {@link #UNKNOWN}
     * @param peakMib most memory used, or {@link #UNKNOWN}
     * @param askedMib requested memory of its first GPU, or {@link #UNKNOWN}
     * @param waited before it, if it is the first attempt, else {@link #UNKNOWN}
     */
    record UsedAttempt(
            long grantedAt,
            long endedAt,
            int gpus,
            long percent,
            long peakMib,
            long askedMib,
            long waited) {

        boolean ranWithin(long from, long to) {
            return grantedAt < to && endedAt > from;
        }
    }
}
