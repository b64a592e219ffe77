package dev.berth.engine.port;

import dev.berth.core.task.Owner;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether Berth starts tasks; a person may have stopped that.
 *
 * @param last who changed it last, and when
 */
public record Scheduler(boolean isRunning, Optional<Turn> last) {

    /** Of a home where nobody has ever touched it. */
    public static final Scheduler RUNNING = new Scheduler(true, Optional.empty());

    public record Turn(Owner by, Instant at) {}
}
