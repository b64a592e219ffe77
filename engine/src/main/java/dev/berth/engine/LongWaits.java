package dev.berth.engine;

import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.port.event.TaskAlert;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Raises an alert for tasks that wait too long. */
public final class LongWaits {

    /** Tasks that reach the limit within this time share one alert. */
    private static final Duration SHARED_ALERT = Duration.ofMinutes(10);

    private final Duration limit;

    LongWaits(Duration limit) {
        this.limit = limit;
    }

    /**
     * Which waits have been reported.
     *
     * @param reportedUpTo tasks queued until then have been reported
     * @param nextCheckAt no task reaches the limit before this time
     */
    public record LastCheck(Instant reportedUpTo, Instant nextCheckAt) {
        static final LastCheck NEVER = new LastCheck(Instant.MIN, Instant.MIN);
    }

    /**
     * The waits at one moment.
     *
     * @param longest the task that has waited longest
     * @param overLimit number of tasks that have waited longer than the limit
     */
    public record Waits(Optional<Task> longest, int overLimit, Duration limit) {}

    Waits waits(WaitingTasks waiting, Instant now) {
        var count = new Count(Instant.MIN, now.minus(limit));
        waiting.undelayed().forEach(count::add);
        return new Waits(Optional.ofNullable(count.longest), count.late, limit);
    }

    /** One alert for all tasks that reached the limit since the last alert. */
    void decide(Decision decision) {
        var watch = decision.state().sinceStart();
        var now = decision.at();
        if (now.isBefore(watch.longWaitCheck().nextCheckAt())) {
            return;
        }
        var count = new Count(watch.longWaitCheck().reportedUpTo(), now.minus(limit));
        decision.state().waiting().undelayed().forEach(count::add);
        var next = count.next == null ? now : count.next;
        var checkAt = later(next.plus(limit).plusMillis(1), now.plus(alertInterval()));
        decision.setState(decision.state().with(watch.with(new LastCheck(count.until, checkAt))));
        if (count.newlyLate > 0 && count.longestNew != null) {
            alert(decision, count.longestNew, count.newlyLate);
        }
    }

    private Duration alertInterval() {
        return limit.compareTo(SHARED_ALERT) < 0 ? limit : SHARED_ALERT;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isBefore(other) ? other : one;
    }

    private void alert(Decision decision, Task longest, int tasks) {
        decision.addEvent(
                Owner.BERTH,
                longest.id(),
                new TaskAlert.LongWait(longest.spec().name(), tasks, limit));
    }

    /** Collects its figures in one iteration over the waiting tasks. */
    private static final class Count {
        private final Instant toldUpTo;
        private final Instant until;
        private int late;
        private int newlyLate;
        private @Nullable Task longest;
        private @Nullable Task longestNew;

        /** Start of the wait that reaches the limit next. */
        private @Nullable Instant next;

        /**
         * @param until a task waiting since then or longer is over the limit
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
