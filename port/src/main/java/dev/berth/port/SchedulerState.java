package dev.berth.port;

import dev.berth.core.task.Owner;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether the scheduler is running; a person may have stopped it.
 *
 * @param lastSwitch the last switch, if there was one
 */
public record SchedulerState(boolean isRunning, Optional<LastSwitch> lastSwitch) {

    /** Running, and never switched. */
    public static final SchedulerState RUNNING = new SchedulerState(true, Optional.empty());

    public record LastSwitch(Owner by, Instant at) {}
}
