package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the errors that NVML reports. If this driver supports no events, nothing is reported.
 */
final class NvmlEvents {

    private static final Logger log = LoggerFactory.getLogger(NvmlEvents.class);

    private static final long XID = 8;
    private static final long WAIT_MILLIS = 1000;
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(5);

    /** {@code nvmlEventData_t}: device, type, data, two instance ids. */
    private static final long EVENT_BYTES = 32;

    private static final long TYPE_AT = 8;
    private static final long DATA_AT = 16;

    private final Nvml nvml;
    private final XidListener listener;
    private final CountDownLatch closed = new CountDownLatch(1);

    private NvmlEvents(Nvml nvml, XidListener listener) {
        this.nvml = nvml;
        this.listener = listener;
    }

    static NvmlEvents start(Nvml nvml, XidListener listener) {
        var events = new NvmlEvents(nvml, listener);
        if (nvml.has("nvmlEventSetCreate")) {
            Thread.ofPlatform().name("gpu-events").daemon().start(events::run);
        }
        return events;
    }

    private void run() {
        try {
            do {
                listen();
            } while (!closed.await(RETRY_PAUSE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException _) {
            log.debug("the wait for driver events has ended");
        }
    }

    /** The GPUs whose events a set delivers. */
    private record EventSubscription(long set, Map<Long, String> uuids, int shutdowns) {}

    /** Returns when waiting fails, which may be immediately. */
    private void listen() {
        var subscription = nvml.withoutShutdown(this::subscribe);
        if (subscription.isPresent()) {
            boolean isValid = true;
            while (isValid && closed.getCount() > 0) {
                isValid = nvml.withoutShutdown(() -> await(subscription.get()));
            }
        }
    }

    private Optional<EventSubscription> subscribe() {
        try (var arena = Arena.ofConfined()) {
            var pointer = arena.allocate(JAVA_LONG);
            if (nvml.call("nvmlEventSetCreate", pointer.address()) != Nvml.SUCCESS) {
                return Optional.empty();
            }
            long set = pointer.get(JAVA_LONG, 0);
            var uuids = new HashMap<Long, String>();
            for (var device : NvmlDevice.all(nvml, arena)) {
                var uuid = device.uuid();
                if (uuid.isPresent()
                        && nvml.call("nvmlDeviceRegisterEvents", device.handle(), XID, set)
                                == Nvml.SUCCESS) {
                    uuids.put(device.handle(), uuid.get());
                }
            }
            if (uuids.isEmpty()) {
                var _ = nvml.call("nvmlEventSetFree", set);
                return Optional.empty();
            }
            return Optional.of(new EventSubscription(set, uuids, nvml.shutdowns()));
        }
    }

    /** False if the set is no longer valid. */
    private boolean await(EventSubscription subscription) {
        if (subscription.shutdowns() != nvml.shutdowns()) {
            return false;
        }
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_BYTES, Long.BYTES);
            var wait = nvml.has("nvmlEventSetWait_v2") ? "nvmlEventSetWait_v2" : "nvmlEventSetWait";
            int status = nvml.call(wait, subscription.set(), event.address(), WAIT_MILLIS);
            if (status == Nvml.TIMEOUT) {
                return true;
            }
            if (status != Nvml.SUCCESS) {
                var _ = nvml.call("nvmlEventSetFree", subscription.set());
                return false;
            }
            var uuid = subscription.uuids().get(event.get(JAVA_LONG, 0));
            if (uuid != null && event.get(JAVA_LONG, TYPE_AT) == XID) {
                listener.onXid(uuid, (int) event.get(JAVA_LONG, DATA_AT));
            }
            return true;
        }
    }

    /** Does not wait for the thread, which may be blocked in the library. */
    void close() {
        closed.countDown();
    }
}
