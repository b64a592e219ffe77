package dev.berth.notify;

import dev.berth.port.Event;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * The alerts that one receiver gets before they are stored, so that it does not get them again
 * afterwards. The engine's thread adds to it; all else is for the thread of the delivery.
 */
final class SentUnstored {

    private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private final Set<String> sentKinds = new HashSet<>();
    private final Set<Long> sentSeqs = new HashSet<>();

    private record Arrival(Event alert, boolean isStored) {}

    void unstored(Event alert) {
        arrivals.add(new Arrival(alert, false));
    }

    void stored(Event alert) {
        arrivals.add(new Arrival(alert, true));
    }

    /**
     * Handles what has arrived, in order.
     *
     * @param send returns false if the alert did not reach the receiver
     */
    void sendNew(Predicate<Event> send) {
        for (var arrival = arrivals.poll(); arrival != null; arrival = arrivals.poll()) {
            var alert = arrival.alert();
            if (!arrival.isStored()) {
                if (send.test(alert)) {
                    sentKinds.add(alert.kind());
                }
            } else if (sentKinds.remove(alert.kind())) {
                sentSeqs.add(alert.seq());
            }
        }
    }

    boolean contains(Event event) {
        return sentSeqs.contains(event.seq());
    }

    /** Events up to this one are not looked at again. */
    void forgetUpTo(long seq) {
        sentSeqs.removeIf(sent -> sent <= seq);
    }
}
