package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.MachineFault;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Faults of the machine that prevented starts.
 *
 * @param episode present while the machine cannot start tasks
 * @param tasks tasks that the machine could not start, and that have not been started since
 * @param lastEnd when the last episode ended
 */
public record LaunchFaults(
        Optional<Episode> episode, PersistentMap<TaskId, TaskFault> tasks, Instant lastEnd) {

    static final LaunchFaults NONE =
            new LaunchFaults(Optional.empty(), PersistentMap.empty(), Instant.MIN);

    static final Duration FIRST_DELAY = Duration.ofSeconds(1);
    static final Duration MAX_DELAY = Duration.ofMinutes(1);
    private static final Duration FIRST_TASK_DELAY = Duration.ofSeconds(5);
    private static final Duration MAX_TASK_DELAY = Duration.ofMinutes(10);
    private static final int MAX_DOUBLINGS = 20;

    /** Bash tries for 15 s to create the process of the command before it gives up. */
    static final Duration PROCESS_CHECK = Duration.ofSeconds(20);

    /**
     * A time in which the machine cannot start tasks. One task at a time tries; if it starts, the
     * episode is over.
     *
     * @param delay between two tries; it doubles each time
     * @param retryAt no try before this time
     * @param isReported an alert was raised
     */
    public record Episode(
            MachineFault fault,
            Instant since,
            Duration delay,
            Instant retryAt,
            Optional<Probe> probe,
            boolean isReported) {

        boolean isProbe(AttemptId attempt) {
            return probe.filter(one -> one.attempt().equals(attempt)).isPresent();
        }

        boolean mayProbe(Instant now) {
            return probe.isEmpty() && !now.isBefore(retryAt);
        }

        Episode with(Optional<Probe> other) {
            return new Episode(fault, since, delay, retryAt, other, isReported);
        }

        private Episode probeFailed(MachineFault latest, Instant at) {
            var doubled = min(delay.multipliedBy(2), MAX_DELAY);
            return new Episode(
                    latest, since, doubled, at.plus(doubled), Optional.empty(), isReported);
        }

        /** When the probe has shown that the machine starts tasks again. */
        private Optional<Instant> confirmedAt() {
            return probe.flatMap(Probe::startedAt).map(at -> at.plus(PROCESS_CHECK));
        }
    }

    /** The attempt that tries whether the machine starts tasks again. */
    public record Probe(AttemptId attempt, Optional<Instant> startedAt) {}

    /**
     * @param count faults since the task was last started
     * @param isAlone the machine started other tasks meanwhile, so only this task is delayed
     * @param retryAt no try before this time
     */
    public record TaskFault(MachineFault fault, int count, boolean isAlone, Instant retryAt) {}

    LaunchFaults with(Optional<Episode> other) {
        return new LaunchFaults(other, tasks, lastEnd);
    }

    LaunchFaults without(TaskId task) {
        return new LaunchFaults(episode, tasks.without(task), lastEnd);
    }

    LaunchFaults withProbe(AttemptId attempt) {
        return with(
                episode.map(one -> one.with(Optional.of(new Probe(attempt, Optional.empty())))));
    }

    LaunchFaults ended(Instant at) {
        var alone = tasks;
        for (var entry : tasks) {
            if (!entry.getValue().isAlone()) {
                var one = entry.getValue();
                alone =
                        alone.with(
                                entry.getKey(),
                                new TaskFault(one.fault(), one.count(), one.isAlone(), at));
            }
        }
        return new LaunchFaults(Optional.empty(), alone, at);
    }

    /**
     * After one more fault.
     *
     * @param scheduledAt of the attempt
     * @param isReported whether an alert is raised for a new episode
     */
    LaunchFaults faulted(
            AttemptId attempt,
            Instant scheduledAt,
            MachineFault fault,
            Instant at,
            boolean isReported) {
        var known = tasks.get(attempt.task());
        int count = known.map(TaskFault::count).orElse(0) + 1;
        if (episode.isEmpty() && (known.isPresent() || scheduledAt.isBefore(lastEnd))) {
            // Since its last fault another task was started, or it was launched before that.
            var retryAt = at.plus(taskDelay(count));
            return with(attempt.task(), new TaskFault(fault, count, true, retryAt));
        }
        var next =
                episode.map(one -> one.isProbe(attempt) ? one.probeFailed(fault, at) : one)
                        .orElseGet(
                                () ->
                                        new Episode(
                                                fault,
                                                at,
                                                FIRST_DELAY,
                                                at.plus(FIRST_DELAY),
                                                Optional.empty(),
                                                isReported));
        // Twice the delay: if there is another task, that one tries next.
        var retryAt = at.plus(next.delay().multipliedBy(2));
        return with(Optional.of(next))
                .with(attempt.task(), new TaskFault(fault, count, false, retryAt));
    }

    private LaunchFaults with(TaskId task, TaskFault fault) {
        return new LaunchFaults(episode, tasks.with(task, fault), lastEnd);
    }

    private static Duration taskDelay(int count) {
        long doublings = 1L << Math.min(count - 1, MAX_DOUBLINGS);
        return min(FIRST_TASK_DELAY.multipliedBy(doublings), MAX_TASK_DELAY);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** What prevented the last start of each task. */
    SortedMap<TaskId, String> details() {
        var details = new TreeMap<TaskId, String>();
        tasks.forEach(entry -> details.put(entry.getKey(), entry.getValue().fault().detail()));
        return details;
    }

    boolean isConfirmed(Instant at) {
        return episode.flatMap(Episode::confirmedAt).filter(time -> !time.isAfter(at)).isPresent();
    }

    /** Times after {@code now} at which something becomes due. */
    Stream<Instant> due(Instant now) {
        return episode.stream()
                .flatMap(one -> Stream.concat(Stream.of(one.retryAt()), one.confirmedAt().stream()))
                .filter(time -> time.isAfter(now));
    }
}
