package dev.berth.engine;

import dev.berth.core.line.Waiting;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.engine.port.Event;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Notices tasks that wait longer than anybody should. */
public final class LongWaits {

    /** What becomes late within this time is told of together. */
    private static final Duration TOGETHER = Duration.ofMinutes(10);

    private final Duration limit;

    LongWaits(Duration limit) {
        this.limit = limit;
    }

    /**
     * How far waits have been told of.
     *
     * @param toldUpTo those queued by then have been
     * @param checkAt before that, nobody needs to look
     */
    public record Lateness(Instant toldUpTo, Instant checkAt) {
        static final Lateness UNKNOWN = new Lateness(Instant.MIN, Instant.MIN);
    }

    /**
     * What waits now.
     *
     * @param longest the task that has waited longest
     * @param late how many have waited longer than the limit
     */
    public record Waits(Optional<Task> longest, int late, Duration limit) {}

    Waits waits(Waiting waiting, Instant now) {
        var count = new Count(Instant.MIN, now.minus(limit));
        waiting.inLines().forEach(count::add);
        return new Waits(Optional.ofNullable(count.longest), count.late, limit);
    }

    /** One alert for all that have become late since the last one. */
    void decide(Draft draft) {
        var watch = draft.state().watch();
        var now = draft.at();
        if (now.isBefore(watch.lateness().checkAt())) {
            return;
        }
        var count = new Count(watch.lateness().toldUpTo(), now.minus(limit));
        draft.state().waiting().inLines().forEach(count::add);
        var next = count.next == null ? now : count.next;
        var checkAt = later(next.plus(limit).plusMillis(1), now.plus(pause()));
        draft.become(draft.state().with(watch.with(new Lateness(count.until, checkAt))));
        if (count.newlyLate > 0 && count.longestNew != null) {
            tell(draft, count.longestNew, count.newlyLate);
        }
    }

    private Duration pause() {
        return limit.compareTo(TOGETHER) < 0 ? limit : TOGETHER;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isBefore(other) ? other : one;
    }

    private void tell(Draft draft, Task longest, int tasks) {
        draft.happened(
                Event.Kind.ALERT_LONG_WAIT,
                Owner.BERTH,
                longest.id(),
                Map.of(
                        "name", longest.spec().name(),
                        "tasks", Integer.toString(tasks),
                        "limit_seconds", Long.toString(limit.toSeconds())));
    }

    /** One walk through all that waits. */
    private static final class Count {
        private final Instant toldUpTo;
        private final Instant until;
        private int late;
        private int newlyLate;
        private @Nullable Task longest;
        private @Nullable Task longestNew;

        /** Who becomes late next has waited since then. */
        private @Nullable Instant next;

        /**
         * @param until who has waited since then or longer is late
         */
        Count(Instant toldUpTo, Instant until) {
            this.toldUpTo = toldUpTo;
            this.until = until;
        }

        void add(Task task) {
            var since = task.waitingSince();
            longest = older(longest, task);
            if (since.isAfter(until)) {
                next = next == null || since.isBefore(next) ? since : next;
                return;
            }
            late++;
            if (since.isAfter(toldUpTo)) {
                newlyLate++;
                longestNew = older(longestNew, task);
            }
        }

        private static Task older(@Nullable Task one, Task other) {
            return one == null || other.waitingSince().isBefore(one.waitingSince()) ? other : one;
        }
    }
}
