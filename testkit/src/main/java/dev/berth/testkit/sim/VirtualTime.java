package dev.berth.testkit.sim;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes only when the next thing happens. */
final class VirtualTime {

    private record Due(Instant at, long order, Runnable action) {}

    private final PriorityQueue<Due> agenda =
            new PriorityQueue<>(Comparator.comparing(Due::at).thenComparingLong(Due::order));
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long order;

    Instant now() {
        return now;
    }

    void after(Duration delay, Runnable action) {
        agenda.add(new Due(now.plus(delay), order++, action));
    }

    /** Lets the next thing happen. */
    boolean step() {
        var next = agenda.poll();
        if (next == null) {
            return false;
        }
        now = next.at();
        next.action().run();
        return true;
    }
}
