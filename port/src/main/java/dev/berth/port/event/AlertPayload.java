package dev.berth.port.event;

import dev.berth.core.AlertLevel;

import java.util.Optional;

/** Events that a person should be notified of. */
public sealed interface AlertPayload extends EventPayload permits GpuAlert, NodeAlert, TaskAlert {

    /** How the kinds of alerts begin in the store and in the API. */
    String PREFIX = "alert.";

    AlertLevel alertLevel();

    @Override
    default Optional<AlertLevel> level() {
        return Optional.of(alertLevel());
    }
}
