package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.present;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Submits while servers are killed. */
final class AcknowledgedSubmit {

    /** On a busy machine a server may be killed many times before it replies. */
    private static final Duration WITHIN = Duration.ofMinutes(10);

    private AcknowledgedSubmit() {}

    /**
     * Sends a task with its key until a server acknowledges it. A server that was killed before it
     * replied may or may not have stored it.
     *
     * @param api by the home's socket: another process may use the port of a killed server by now
     */
    static long submit(Supplier<TestApi> api, TaskBuilder order) {
        return present(
                WITHIN,
                order.name() + " is acknowledged",
                () -> {
                    try {
                        return Optional.of(api.get().submit(order));
                    } catch (UncheckedIOException killed) {
                        return Optional.empty();
                    }
                });
    }
}
