package dev.berth.port.event;

import java.time.Duration;
import java.time.Instant;

/** Events of reservations. */
public sealed interface ReservationPayload extends EventPayload {

    record ReservationCreated(ReservationRef reservation) implements ReservationPayload {}

    record ReservationRemoved(ReservationRef reservation) implements ReservationPayload {}

    /** Its only window is over. */
    record ReservationOver(ReservationRef reservation) implements ReservationPayload {}

    /**
     * A reservation as an event shows it.
     *
     * @param holder {@code group NAME}, {@code user NAME} or {@code nobody}
     * @param gpus the number, or the indices after {@code gpu}
     */
    record ReservationRef(
            long id,
            String holder,
            String gpus,
            Instant from,
            Duration length,
            boolean isWeekly,
            String note) {}
}
