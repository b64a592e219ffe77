package dev.berth.engine;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.engine.LaunchFaults.Episode;
import dev.berth.engine.LaunchFaults.Probe;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what a fault of the machine means for starts. The first fault pauses all starts with one
 * alert. Then one task at a time tries, at growing intervals, until one starts. A task that fails
 * while others start waits alone.
 */
final class LaunchFaultDecider {

    /** A task that waits alone raises an alert at this fault. */
    private static final int REPORTED_FAULT = 3;

    private LaunchFaultDecider() {}

    private static LaunchFaults faults(Decision decision) {
        return decision.state().sinceStart().launchFaults();
    }

    private static void set(Decision decision, LaunchFaults faults) {
        decision.setState(decision.state().with(decision.state().sinceStart().with(faults)));
    }

    /**
     * The machine could not start this attempt.
     *
     * @return until when its task is delayed
     */
    static Instant faulted(Decision decision, Task task, Attempt attempt, MachineFault fault) {
        var before = faults(decision);
        boolean isReported =
                fault.kind() == MachineFault.Kind.DISK_FULL
                        && decision.state().sinceStart().isDiskLow();
        var after =
                before.faulted(
                        attempt.id(), attempt.scheduledAt(), fault, decision.at(), !isReported);
        set(decision, after);
        if (before.episode().isEmpty() && after.episode().isPresent() && !isReported) {
            decision.addEvent(
                    new NodeAlert.StartsPaused(attempt.node(), fault.kind(), fault.detail()));
        }
        var one = after.tasks().get(task.id()).orElseThrow();
        if (one.isAlone() && one.count() == REPORTED_FAULT) {
            decision.addEvent(
                    Owner.BERTH,
                    attempt.id(),
                    new TaskAlert.CannotStart(task.spec().name(), fault.detail()));
        }
        return one.retryAt();
    }

    /** The shim of this attempt has taken {@code go}. */
    static void started(Decision decision, Attempt attempt) {
        var faults = faults(decision);
        var episode = faults.episode().filter(one -> one.isProbe(attempt.id()));
        if (episode.isEmpty()) {
            return;
        }
        if (canFailAfterStart(episode.get().fault())) {
            var probe = new Probe(attempt.id(), Optional.of(decision.at()));
            set(decision, faults.with(Optional.of(episode.get().with(Optional.of(probe)))));
        } else {
            end(decision, attempt.node());
        }
    }

    /** The shim exists, but the process of the command is still to be created. */
    private static boolean canFailAfterStart(MachineFault fault) {
        return switch (fault.kind()) {
            case PROCESS_LIMIT, OUT_OF_MEMORY, OTHER -> true;
            case DISK_FULL, NOT_WRITABLE, IO_ERROR, OPEN_FILES, MISSING_FILE -> false;
        };
    }

    /** The attempt ended, and not by a fault of the machine. */
    static void ended(Decision decision, Attempt attempt, Ending ending) {
        var faults = faults(decision).without(attempt.id().task());
        set(decision, faults);
        var episode = faults.episode().filter(one -> one.isProbe(attempt.id()));
        if (episode.isEmpty()) {
            return;
        }
        switch (ending) {
            case Ending.Exited _, Ending.Vanished _ -> end(decision, attempt.node());
            // Nothing is known about the machine: another task tries.
            case Ending.NeverStarted _,
                    Ending.NotLaunched _,
                    Ending.LaunchFailed _,
                    Ending.StartTimedOut _,
                    Ending.CallFailed _,
                    Ending.Interrupted _,
                    Ending.MachineRestarted _ ->
                    set(decision, faults.with(Optional.of(episode.get().with(Optional.empty()))));
        }
    }

    /** Ends an episode whose probe has run long enough, or in which no task is left to try. */
    static void timers(Decision decision, String node) {
        var faults = faults(decision);
        boolean isOver =
                faults.isConfirmed(decision.at())
                        || faults.episode()
                                .filter(one -> one.mayProbe(decision.at()))
                                .filter(_ -> decision.state().waiting().size() == 0)
                                .isPresent();
        if (isOver) {
            end(decision, node);
        }
    }

    static void probing(Decision decision, AttemptId attempt) {
        set(decision, faults(decision).withProbe(attempt));
    }

    /** All tasks of the episode are back in the queue at their places. */
    private static void end(Decision decision, String node) {
        var faults = faults(decision);
        boolean isReported = faults.episode().filter(Episode::isReported).isPresent();
        var since = faults.episode().map(Episode::since).orElse(decision.at());
        for (var entry : faults.tasks()) {
            if (!entry.getValue().isAlone()) {
                decision.state()
                        .tasks()
                        .get(entry.getKey())
                        .filter(task -> task.state() instanceof TaskState.Queued)
                        .filter(task -> task.notBefore().isPresent())
                        .ifPresent(task -> decision.save(task.withNotBefore(Optional.empty())));
            }
        }
        set(decision, faults.ended(decision.at()));
        if (isReported) {
            decision.addEvent(
                    new NodeAlert.StartsResumed(node, Duration.between(since, decision.at())));
        }
    }
}
