package dev.berth.core.reserve;

import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * GPUs that are kept for somebody for some time.
 *
 * @param note why, for people; may be empty
 */
public record Reservation(
        long id,
        ReservationHolder holder,
        ReservedGpus gpus,
        Schedule schedule,
        String note,
        Owner createdBy,
        Instant createdAt) {

    private static final long DAYS_PER_WEEK = 7;

    /**
     * When it applies.
     *
     * @param begin of the first window
     * @param length elapsed time, also when the clocks change meanwhile
     * @param isWeekly again each week at the same local time
     * @param zone the time zone of that local time
     */
    public record Schedule(Instant begin, Duration length, boolean isWeekly, ZoneId zone) {
        public Schedule {
            if (length.isNegative() || length.isZero()) {
                throw new IllegalArgumentException("a reservation lasts longer than " + length);
            }
        }

        /** The window that contains this moment, or else the next one; empty after the last. */
        Optional<TimeSpan> windowAt(Instant now) {
            var first = new TimeSpan(begin, begin.plus(length));
            if (now.isBefore(first.end())) {
                return Optional.of(first);
            }
            if (!isWeekly) {
                return Optional.empty();
            }
            long weeks = ChronoUnit.DAYS.between(begin, now) / DAYS_PER_WEEK;
            // The clocks may have changed since: the search begins a week early.
            var window = inWeek(Math.max(0, weeks - 1));
            for (long week = weeks; !now.isBefore(window.end()); week++) {
                window = inWeek(week);
            }
            return Optional.of(window);
        }

        /** A local time that the clocks skip is moved forward; of two the earlier one counts. */
        private TimeSpan inWeek(long week) {
            var start = begin.atZone(zone).toLocalDateTime().plusWeeks(week).atZone(zone);
            return new TimeSpan(start.toInstant(), start.toInstant().plus(length));
        }
    }

    /** From {@code begin} to just before {@code end}. */
    public record TimeSpan(Instant begin, Instant end) {

        public boolean contains(Instant moment) {
            return !moment.isBefore(begin) && moment.isBefore(end);
        }

        public boolean overlaps(TimeSpan other) {
            return begin.isBefore(other.end) && other.begin.isBefore(end);
        }
    }

    /** The window that contains this moment, or else the next one; empty if it is over. */
    public Optional<ReservationWindow> windowAt(Instant now) {
        return schedule.windowAt(now)
                .map(span -> new ReservationWindow(this, span, span.contains(now)));
    }
}
