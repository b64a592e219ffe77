package dev.berth.engine.sim;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock with scheduled actions: time advances only to the next action. */
final class VirtualTime {

    private record Action(Instant at, long order, Runnable action) {}

    private final PriorityQueue<Action> schedule =
            new PriorityQueue<>(Comparator.comparing(Action::at).thenComparingLong(Action::order));
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long order;

    Instant now() {
        return now;
    }

    void after(Duration delay, Runnable action) {
        schedule.add(new Action(now.plus(delay), order++, action));
    }

    /**
     * Runs the next action.
     *
     * @return false if there is none
     */
    boolean step() {
        var next = schedule.poll();
        if (next == null) {
            return false;
        }
        now = next.at();
        next.action().run();
        return true;
    }
}
