package dev.berth.engine;

import dev.berth.core.queue.WaitStarts;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.port.event.TaskAlert;

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

    Waits waits(WaitStarts starts, Instant now) {
        return new Waits(starts.longest(), starts.countUntil(now.minus(limit)), limit);
    }

    /** One alert for all tasks that reached the limit since the last alert. */
    void decide(Decision decision) {
        var watch = decision.state().sinceStart();
        var now = decision.at();
        if (now.isBefore(watch.longWaitCheck().nextCheckAt())) {
            return;
        }
        var starts = decision.state().waiting().waitStarts();
        var reportedUpTo = watch.longWaitCheck().reportedUpTo();
        var until = now.minus(limit);
        var next = starts.firstAfter(until).map(Task::waitingSince).orElse(now);
        var checkAt = later(next.plus(limit).plusMillis(1), now.plus(alertInterval()));
        decision.setState(decision.state().with(watch.with(new LastCheck(until, checkAt))));
        int newlyLate = starts.countUntil(until) - starts.countUntil(reportedUpTo);
        if (newlyLate > 0) {
            starts.firstAfter(reportedUpTo).ifPresent(task -> alert(decision, task, newlyLate));
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
}
