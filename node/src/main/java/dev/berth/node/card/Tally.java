package dev.berth.node.card;

import dev.berth.core.task.Consumption;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** What an attempt has made of its cards up to a moment, so that more can be added. */
record Tally(Sum memory, Sum load) {

    static final Tally NONE = new Tally(Sum.NONE, Sum.NONE);

    /** No time at all would say that its memory could not be told. */
    private static final Duration LEAST = Duration.of(1, java.time.temporal.ChronoUnit.MICROS);

    /**
     * @param peak less than 0 where nothing was seen
     * @param total value times seconds
     */
    record Sum(long peak, double total, double seconds) {
        static final Sum NONE = new Sum(-1, 0, 0);

        boolean isKnown() {
            return peak >= 0;
        }

        Sum plus(Sight.Figure figure, double longer) {
            return new Sum(
                    Math.max(peak, figure.peak()),
                    total + figure.mean() * longer,
                    seconds + longer);
        }

        /** One that was seen for no time at all was what it was. */
        long mean() {
            return seconds > 0 ? Math.round(total / seconds) : peak;
        }
    }

    /** It looked like this for so long. */
    Tally plus(Sight sight, double seconds) {
        return new Tally(
                sight.memory().map(figure -> memory.plus(figure, seconds)).orElse(memory),
                sight.load().map(figure -> load.plus(figure, seconds)).orElse(load));
    }

    Optional<Consumption> consumption() {
        if (!memory.isKnown() && !load.isKnown()) {
            return Optional.empty();
        }
        return Optional.of(
                new Consumption(
                        Math.max(0, memory.peak()),
                        Math.max(0, memory.mean()),
                        load.isKnown() ? OptionalInt.of((int) load.peak()) : OptionalInt.empty(),
                        load.isKnown() ? OptionalInt.of((int) load.mean()) : OptionalInt.empty(),
                        watched()));
    }

    private Duration watched() {
        if (!memory.isKnown()) {
            return Duration.ZERO;
        }
        var watched = Duration.ofNanos(Math.round(memory.seconds() * 1e9));
        return watched.compareTo(LEAST) < 0 ? LEAST : watched;
    }
}
