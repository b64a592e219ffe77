package dev.berth.engine;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Notices tasks that wait longer than anybody should. */
public final class LongWaits {

    private final Duration limit;

    /** Those queued by then have been told of. */
    private Instant toldUpTo = Instant.MIN;

    private Instant checkAt = Instant.MIN;

    LongWaits(Duration limit) {
        this.limit = limit;
    }

    /**
     * What waits now.
     *
     * @param longest the task that has waited longest
     * @param late how many have waited longer than the limit
     */
    public record Waits(Optional<Longest> longest, int late, Duration limit) {}

    /** A task and since when it has waited. */
    public record Longest(TaskId task, Instant since) {}

    /** When somebody may next have waited too long. */
    Instant due() {
        return checkAt;
    }

    Waits waits(State state, Instant now) {
        var late = now.minus(limit);
        int count = 0;
        Longest longest = null;
        for (var line : state.waiting().lines()) {
            for (var group : line.getValue()) {
                for (var entry : group.getValue()) {
                    var since = since(entry.getValue());
                    count += since.isAfter(late) ? 0 : 1;
                    if (longest == null || since.isBefore(longest.since())) {
                        longest = new Longest(entry.getValue().id(), since);
                    }
                }
            }
        }
        return new Waits(Optional.ofNullable(longest), count, limit);
    }

    /** One alert for all that have become late since the last one. */
    void decide(Draft draft, Instant now) {
        if (now.isBefore(checkAt)) {
            return;
        }
        var late = now.minus(limit);
        var next = now;
        int count = 0;
        Task longest = null;
        for (var line : draft.state().waiting().lines()) {
            for (var group : line.getValue()) {
                for (var entry : group.getValue()) {
                    var task = entry.getValue();
                    var since = since(task);
                    if (since.isAfter(late)) {
                        next = since.isBefore(next) ? since : next;
                    } else if (since.isAfter(toldUpTo)) {
                        count++;
                        longest =
                                longest == null || since.isBefore(since(longest)) ? task : longest;
                    }
                }
            }
        }
        toldUpTo = late;
        checkAt = next.plus(limit).plusMillis(1);
        if (longest != null) {
            draft.happened(
                    Event.Kind.ALERT_LONG_WAIT,
                    Owner.BERTH,
                    longest.id(),
                    Map.of(
                            "name", longest.spec().name(),
                            "tasks", Integer.toString(count),
                            "limit_seconds", Long.toString(limit.toSeconds())));
        }
    }

    private static Instant since(Task task) {
        return task.queuedAt().orElse(task.createdAt());
    }
}
