package dev.berth.server.limit;

/**
 * What one user may take.
 *
 * @param requestsPerSecond in the long run
 * @param requestBurst at once, after a rest
 * @param streams open at the same time
 * @param queuedTasks waiting at the same time
 */
public record Limits(int requestsPerSecond, int requestBurst, int streams, int queuedTasks) {

    /** Far above what people and their scripts do, below what would keep others out. */
    public static final Limits USUAL = new Limits(5_000, 20_000, 256, 200_000);

    public Limits {
        for (int limit : new int[] {requestsPerSecond, requestBurst, streams, queuedTasks}) {
            if (limit < 1) {
                throw new IllegalArgumentException("limits: each is 1 or more, not " + limit);
            }
        }
    }
}
