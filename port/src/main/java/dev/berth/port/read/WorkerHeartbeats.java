package dev.berth.port.read;

import dev.berth.core.id.AttemptId;

import java.time.Instant;
import java.util.Optional;

/** When workers last gave a sign of life. */
public interface WorkerHeartbeats {

    /** Empty if there is no such worker. */
    Optional<Instant> lastHeartbeat(AttemptId worker);
}
