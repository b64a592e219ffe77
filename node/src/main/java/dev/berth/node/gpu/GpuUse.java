package dev.berth.node.gpu;

import dev.berth.core.task.GpuConsumption;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** The accumulated GPU use of an attempt up to a point in time. */
record GpuUse(TimeWeightedSum memory, TimeWeightedSum load) {

    static final GpuUse NONE = new GpuUse(TimeWeightedSum.NONE, TimeWeightedSum.NONE);

    /** A time of zero would mean that its memory could not be measured. */
    private static final Duration MIN_WATCHED =
            Duration.of(1, java.time.temporal.ChronoUnit.MICROS);

    /**
     * @param peak negative if nothing was measured
     * @param total sum of value times seconds
     */
    record TimeWeightedSum(long peak, double total, double seconds) {
        static final TimeWeightedSum NONE = new TimeWeightedSum(-1, 0, 0);

        boolean isKnown() {
            return peak >= 0;
        }

        TimeWeightedSum plus(GpuUseSample.PeakAndMean figures, double longer) {
            return new TimeWeightedSum(
                    Math.max(peak, figures.peak()),
                    total + figures.mean() * longer,
                    seconds + longer);
        }

        /** If the time is zero, the single value is also the mean. */
        long mean() {
            return seconds > 0 ? Math.round(total / seconds) : peak;
        }
    }

    /** Adds a reading that was valid for this time. */
    GpuUse plus(GpuUseSample sample, double seconds) {
        return new GpuUse(
                sample.memory().map(figures -> memory.plus(figures, seconds)).orElse(memory),
                sample.load().map(figures -> load.plus(figures, seconds)).orElse(load));
    }

    Optional<GpuConsumption> consumption() {
        if (!memory.isKnown() && !load.isKnown()) {
            return Optional.empty();
        }
        return Optional.of(
                new GpuConsumption(
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
        return watched.compareTo(MIN_WATCHED) < 0 ? MIN_WATCHED : watched;
    }
}
