package dev.berth.core.reserve;

/**
 * One window of a reservation.
 *
 * @param isActive it has begun
 */
public record ReservationWindow(
        Reservation reservation, Reservation.TimeSpan span, boolean isActive) {

    public long id() {
        return reservation.id();
    }
}
