package dev.berth.feed;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

/** Time passes only while the feed is parked. A test schedules what happens meanwhile. */
final class ManualFeedClock implements FeedClock {

    private record Planned(long at, Runnable action) {}

    private final Queue<Planned> plan = new ArrayDeque<>();
    private long now;

    /** In the order of their times. */
    void at(Duration time, Runnable action) {
        plan.add(new Planned(time.toNanos(), action));
    }

    Duration now() {
        return Duration.ofNanos(now);
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void park(long nanos) {
        var next = plan.peek();
        if (next != null && next.at() <= now + nanos) {
            plan.remove();
            now = Math.max(now, next.at());
            next.action().run();
        } else {
            now += nanos;
        }
    }
}
