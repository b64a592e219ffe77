package dev.berth.node.log;

/**
 * How much of the disk a log may take, in bytes.
 *
 * @param head of its beginning that stays
 */
public record LogLimits(long cap, long head) {
    private static final long MIB = 1024 * 1024;

    public static final LogLimits DEFAULT = new LogLimits(256 * MIB, 8 * MIB);

    /** While disk space is low. */
    public static final LogLimits TIGHT = new LogLimits(16 * MIB, MIB);

    public LogLimits {
        if (head < 0 || cap < 4 * MIB || head > cap / 4) {
            throw new IllegalArgumentException(
                    "a log's cap is 4 MiB or more, its head at most a quarter of it");
        }
    }

    /**
     * What is left of its end when it has been cut: so much below the cap that it need not be cut
     * again at once.
     */
    long tail() {
        return cap / 4 * 3 - head;
    }

    LogLimits tightened() {
        return cap <= TIGHT.cap ? this : TIGHT;
    }
}
