package dev.berth.port.event;

import static dev.berth.port.event.StoredField.choice;
import static dev.berth.port.event.StoredField.number;
import static dev.berth.port.event.StoredField.seconds;
import static dev.berth.port.event.StoredField.text;

import dev.berth.port.event.ReservationPayload.ReservationCreated;
import dev.berth.port.event.ReservationPayload.ReservationOver;
import dev.berth.port.event.ReservationPayload.ReservationRef;
import dev.berth.port.event.ReservationPayload.ReservationRemoved;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The stored forms of events of reservations. */
final class ReservationForms {

    private static final StoredField<Long> ID = number("reservation");
    private static final StoredField<String> HOLDER = text("holder");
    private static final StoredField<String> GPUS = text("gpus");
    private static final StoredField<Instant> FROM =
            StoredField.of("from", Instant::parse, Instant::toString);
    private static final StoredField<Duration> LENGTH = seconds("length_s");
    private static final StoredField<Boolean> REPEATS = choice("repeats", "weekly", "once");
    private static final StoredField<String> NOTE = text("note");

    private ReservationForms() {}

    static List<PayloadForm<?>> all() {
        return List.of(
                new PayloadForm<>(
                        "reservation.created",
                        ReservationCreated.class,
                        in -> new ReservationCreated(read(in)),
                        (it, out) -> write(it.reservation(), out)),
                new PayloadForm<>(
                        "reservation.removed",
                        ReservationRemoved.class,
                        in -> new ReservationRemoved(read(in)),
                        (it, out) -> write(it.reservation(), out)),
                new PayloadForm<>(
                        "reservation.ended",
                        ReservationOver.class,
                        in -> new ReservationOver(read(in)),
                        (it, out) -> write(it.reservation(), out)));
    }

    private static ReservationRef read(FieldReader in) {
        return new ReservationRef(
                in.get(ID),
                in.get(HOLDER),
                in.get(GPUS),
                in.get(FROM),
                in.get(LENGTH),
                in.get(REPEATS),
                in.get(NOTE));
    }

    private static void write(ReservationRef it, FieldWriter out) {
        out.put(ID, it.id())
                .put(HOLDER, it.holder())
                .put(GPUS, it.gpus())
                .put(FROM, it.from())
                .put(LENGTH, it.length())
                .put(REPEATS, it.isWeekly())
                .put(NOTE, it.note());
    }
}
