package dev.berth.feed;

import java.util.concurrent.locks.LockSupport;

/** The monotonic clock of a feed, and how its thread waits. */
interface FeedClock {

    FeedClock SYSTEM =
            new FeedClock() {
                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void park(long nanos) {
                    LockSupport.parkNanos(nanos);
                }
            };

    long nanos();

    /** Returns after this time, or earlier for any reason. */
    void park(long nanos);
}
