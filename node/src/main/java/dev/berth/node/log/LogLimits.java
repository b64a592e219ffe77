package dev.berth.node.log;

/**
 * How much disk space a log may use, in bytes.
 *
 * @param headBytes size of the beginning that is always kept
 */
public record LogLimits(long capBytes, long headBytes) {
    private static final long MIB = 1024 * 1024;

    public static final LogLimits DEFAULT = new LogLimits(256 * MIB, 8 * MIB);

    /** Used while disk space is low. */
    public static final LogLimits TIGHT = new LogLimits(16 * MIB, MIB);

    public LogLimits {
        if (headBytes < 0 || capBytes < 4 * MIB || headBytes > capBytes / 4) {
            throw new IllegalArgumentException(
                    "a log's cap is 4 MiB or more, its head at most a quarter of it");
        }
    }

    /**
     * Size of the end that a cut keeps. It is well below the cap, so that the next cut is not
     * needed immediately.
     */
    long tailBytes() {
        return capBytes / 4 * 3 - headBytes;
    }

    LogLimits tightened() {
        return capBytes <= TIGHT.capBytes ? this : TIGHT;
    }
}
