package dev.berth.engine.port;

import dev.berth.core.card.CardId;
import dev.berth.core.task.AttemptId;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What cards and attempts did: by the second at first, and coarser the longer ago it was. */
public interface History {

    /** Where nothing is kept. */
    History NONE =
            new History() {
                @Override
                public void keep(List<Minute> minutes) {}

                @Override
                public List<Point> read(Span span, List<Minute> fresh) {
                    return List.of();
                }
            };

    /**
     * Keeps all of these or none. Of a moment that is kept already, the later word holds: a minute
     * may come in parts, twice, or once more after the clock was set back.
     */
    void keep(List<Minute> minutes) throws StoreFailure;

    /**
     * What is known of a span, oldest first; nothing stands for a time of which nothing is known.
     *
     * @param fresh of the same subject and not kept yet: they count as if they were
     */
    List<Point> read(Span span, List<Minute> fresh) throws StoreFailure;

    /** Of whom something is kept. */
    sealed interface Subject {
        record OfCard(CardId card) implements Subject {}

        record OfAttempt(AttemptId attempt) implements Subject {}
    }

    /** How finely, and for how long. */
    enum Grain {
        SECOND(Duration.ofSeconds(1), Duration.ofHours(1)),
        MINUTE(Duration.ofMinutes(1), Duration.ofDays(7)),
        HOUR(Duration.ofHours(1), Duration.ofDays(365));

        private final Duration step;
        private final Duration kept;

        Grain(Duration step, Duration kept) {
            this.step = step;
            this.kept = kept;
        }

        public long seconds() {
            return step.toSeconds();
        }

        public Duration kept() {
            return kept;
        }

        /** The finest in which what is so old is still there. */
        public static Grain of(Duration age) {
            for (var grain : values()) {
                if (age.compareTo(grain.kept) <= 0) {
                    return grain;
                }
            }
            return HOUR;
        }
    }

    /**
     * What is asked for.
     *
     * @param to exclusive
     */
    record Span(Subject subject, Grain grain, Instant from, Instant to) {}

    /** What a sample may say. */
    enum Measure {
        MEMORY_MIB,
        PERCENT,
        CELSIUS
    }

    /**
     * Exact sums of samples, so that sums of sums are exact too.
     *
     * @param count how many samples said something
     */
    record Total(long count, long sum, long peak) {
        public static final Total NONE = new Total(0, 0, 0);

        public static Total of(long value) {
            return new Total(1, value, value);
        }

        public Total plus(Total other) {
            if (count == 0 || other.count == 0) {
                return count == 0 ? other : this;
            }
            return new Total(count + other.count, sum + other.sum, Math.max(peak, other.peak));
        }

        public boolean isKnown() {
            return count > 0;
        }

        public double mean() {
            return (double) sum / count;
        }
    }

    /**
     * A time of which something is known.
     *
     * @param at where it begins, in seconds since 1970
     */
    record Point(long at, Total memoryMib, Total percent, Total celsius) {

        public Total of(Measure measure) {
            return switch (measure) {
                case MEMORY_MIB -> memoryMib;
                case PERCENT -> percent;
                case CELSIUS -> celsius;
            };
        }

        /** Both as one, from the same moment on as this. */
        public Point plus(Point other) {
            return new Point(
                    at,
                    memoryMib.plus(other.memoryMib),
                    percent.plus(other.percent),
                    celsius.plus(other.celsius));
        }

        /** The same as part of a longer time. */
        public Point at(long earlier) {
            return new Point(earlier, memoryMib, percent, celsius);
        }
    }
}
