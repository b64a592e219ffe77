package dev.berth.node.card;

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
 * Waits for the errors that the driver's library reports. Where it reports none, nobody is told.
 */
final class NvmlEvents {

    private static final Logger log = LoggerFactory.getLogger(NvmlEvents.class);

    private static final long XID = 8;
    private static final long WAIT_MILLIS = 1000;
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** {@code nvmlEventData_t}: device, type, data, two instance ids. */
    private static final long EVENT_BYTES = 32;

    private static final long TYPE_AT = 8;
    private static final long DATA_AT = 16;

    private final Nvml nvml;
    private final XidEar ear;
    private final CountDownLatch closed = new CountDownLatch(1);

    private NvmlEvents(Nvml nvml, XidEar ear) {
        this.nvml = nvml;
        this.ear = ear;
    }

    static NvmlEvents start(Nvml nvml, XidEar ear) {
        var events = new NvmlEvents(nvml, ear);
        if (nvml.has("nvmlEventSetCreate")) {
            Thread.ofPlatform().name("card-events").daemon().start(events::run);
        }
        return events;
    }

    private void run() {
        try {
            do {
                listen();
            } while (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException _) {
            log.debug("nobody listens to the driver any more");
        }
    }

    /** The cards whose events a set tells of. */
    private record Subscription(long set, Map<Long, String> cards, int shutdowns) {}

    /** Until the library does not wait any more, which may be at once. */
    private void listen() {
        var subscription = nvml.whileOpen(this::subscribe);
        if (subscription.isPresent()) {
            boolean isGood = true;
            while (isGood && closed.getCount() > 0) {
                isGood = nvml.whileOpen(() -> await(subscription.get()));
            }
        }
    }

    private Optional<Subscription> subscribe() {
        try (var arena = Arena.ofConfined()) {
            var place = arena.allocate(JAVA_LONG);
            if (nvml.call("nvmlEventSetCreate", place.address()) != Nvml.SUCCESS) {
                return Optional.empty();
            }
            long set = place.get(JAVA_LONG, 0);
            var cards = new HashMap<Long, String>();
            for (var device : NvmlDevice.all(nvml, arena)) {
                var uuid = device.uuid();
                if (uuid.isPresent()
                        && nvml.call("nvmlDeviceRegisterEvents", device.handle(), XID, set)
                                == Nvml.SUCCESS) {
                    cards.put(device.handle(), uuid.get());
                }
            }
            if (cards.isEmpty()) {
                var _ = nvml.call("nvmlEventSetFree", set);
                return Optional.empty();
            }
            return Optional.of(new Subscription(set, cards, nvml.shutdowns()));
        }
    }

    /** False where the set is no good any more. */
    private boolean await(Subscription to) {
        if (to.shutdowns() != nvml.shutdowns()) {
            return false;
        }
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_BYTES, Long.BYTES);
            var wait = nvml.has("nvmlEventSetWait_v2") ? "nvmlEventSetWait_v2" : "nvmlEventSetWait";
            int status = nvml.call(wait, to.set(), event.address(), WAIT_MILLIS);
            if (status == Nvml.TIMEOUT) {
                return true;
            }
            if (status != Nvml.SUCCESS) {
                var _ = nvml.call("nvmlEventSetFree", to.set());
                return false;
            }
            var uuid = to.cards().get(event.get(JAVA_LONG, 0));
            if (uuid != null && event.get(JAVA_LONG, TYPE_AT) == XID) {
                ear.heard(uuid, (int) event.get(JAVA_LONG, DATA_AT));
            }
            return true;
        }
    }

    /** Not waited for: the library may be waiting itself. */
    void close() {
        closed.countDown();
    }
}
