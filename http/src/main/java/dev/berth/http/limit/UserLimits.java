package dev.berth.http.limit;

/**
 * The limits of one user.
 *
 * @param requestsPerSecond on average
 * @param requestBurst at once, after a pause
 * @param streams open at the same time
 * @param queuedTasks queued at the same time
 */
public record UserLimits(int requestsPerSecond, int requestBurst, int streams, int queuedTasks) {

    /** Far above what people and their scripts use, below what would block other users. */
    public static final UserLimits DEFAULT = new UserLimits(5_000, 20_000, 256, 200_000);

    public UserLimits {
        for (int limit : new int[] {requestsPerSecond, requestBurst, streams, queuedTasks}) {
            if (limit < 1) {
                throw new IllegalArgumentException("limits: each is 1 or more, not " + limit);
            }
        }
    }
}
