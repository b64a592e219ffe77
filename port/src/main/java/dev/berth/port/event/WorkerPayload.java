package dev.berth.port.event;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Events of workers and of their models. */
public sealed interface WorkerPayload extends EventPayload {

    String model();

    /** A worker is being started. */
    record WorkerLoading(String model, int gpu) implements WorkerPayload {}

    record WorkerReady(String model, int gpu, Duration loadTime) implements WorkerPayload {
        public WorkerReady {
            loadTime = loadTime.truncatedTo(ChronoUnit.MILLIS);
        }
    }

    /** A worker is being ended. */
    record WorkerUnloading(String model, int gpu, String why) implements WorkerPayload {}

    /**
     * @param error what went wrong; empty if it was unloaded
     */
    record WorkerEnded(String model, int gpu, String error) implements WorkerPayload {}

    record ModelSaved(String model) implements WorkerPayload {}

    record ModelRemoved(String model) implements WorkerPayload {}
}
