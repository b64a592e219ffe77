package dev.berth.port.read;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.port.StoreFailure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Samples of GPUs and attempts: by second at first, by minute and hour when older. */
public interface SampleHistory {

    /** Stores nothing. */
    SampleHistory NONE =
            new SampleHistory() {
                @Override
                public void save(List<MinuteSamples> minutes) {}

                @Override
                public List<Point> read(Span span, List<MinuteSamples> fresh) {
                    return List.of();
                }
            };

    /**
     * Stores all of these or none. A later sample of the same second replaces the earlier one: a
     * minute may come in parts, twice, or again after the clock was set back.
     */
    void save(List<MinuteSamples> minutes) throws StoreFailure;

    /**
     * The samples of a span, oldest first; times without samples have no point.
     *
     * @param fresh samples of the same subject that are not stored yet; they are included
     */
    List<Point> read(Span span, List<MinuteSamples> fresh) throws StoreFailure;

    /** What the samples are about. */
    sealed interface Subject {
        record OfGpu(GpuId gpu) implements Subject {}

        record OfAttempt(AttemptId attempt) implements Subject {}
    }

    /** Length of one point, and how long such points are kept. */
    enum Resolution {
        SECOND(Duration.ofSeconds(1), Duration.ofHours(1)),
        MINUTE(Duration.ofMinutes(1), Duration.ofDays(7)),
        HOUR(Duration.ofHours(1), Duration.ofDays(365));

        private final Duration step;
        private final Duration retention;

        Resolution(Duration step, Duration kept) {
            this.step = step;
            this.retention = kept;
        }

        public long seconds() {
            return step.toSeconds();
        }

        public Duration retention() {
            return retention;
        }

        /** The finest resolution that is still kept at this age. */
        public static Resolution of(Duration age) {
            for (var grain : values()) {
                if (age.compareTo(grain.retention) <= 0) {
                    return grain;
                }
            }
            return HOUR;
        }
    }

    /**
     * A query.
     *
     * @param to exclusive
     */
    record Span(Subject subject, Resolution grain, Instant from, Instant to) {}

    /** The quantity measured. */
    enum Measure {
        MEMORY_MIB,
        PERCENT,
        CELSIUS
    }

    /**
     * Exact sums of samples, so that sums of sums are exact too.
     *
     * @param count number of samples with a value
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
     * The samples of one interval.
     *
     * @param at start, in seconds since 1970
     */
    record Point(long at, Total memoryMib, Total percent, Total celsius) {

        public Total of(Measure measure) {
            return switch (measure) {
                case MEMORY_MIB -> memoryMib;
                case PERCENT -> percent;
                case CELSIUS -> celsius;
            };
        }

        /** Both together, with the start of this one. */
        public Point plus(Point other) {
            return new Point(
                    at,
                    memoryMib.plus(other.memoryMib),
                    percent.plus(other.percent),
                    celsius.plus(other.celsius));
        }

        /** The same samples with an earlier start. */
        public Point at(long earlier) {
            return new Point(earlier, memoryMib, percent, celsius);
        }
    }
}
