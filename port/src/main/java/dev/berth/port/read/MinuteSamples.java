package dev.berth.port.read;

import dev.berth.port.read.SampleHistory.Measure;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Subject;
import dev.berth.port.read.SampleHistory.Total;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/** The samples of one minute, one slot per second. Not safe for several threads. */
public final class MinuteSamples {

    public static final int SECONDS = 60;

    private static final int UNKNOWN = -1;

    private final Subject subject;
    private final long number;
    private final int[][] values;

    /**
     * @param number minutes since 1970
     */
    public MinuteSamples(Subject subject, long number) {
        this.subject = subject;
        this.number = number;
        this.values = new int[Measure.values().length][SECONDS];
        for (var places : values) {
            Arrays.fill(places, UNKNOWN);
        }
    }

    public static long numberAt(long epochSecond) {
        return Math.floorDiv(epochSecond, SECONDS);
    }

    public Subject subject() {
        return subject;
    }

    public long number() {
        return number;
    }

    /** Start of the minute, in seconds since 1970. */
    public long at() {
        return number * SECONDS;
    }

    /**
     * @param value 0 or more
     */
    public void put(int second, Measure measure, long value) {
        values[measure.ordinal()][second] = Math.clamp(value, 0, Integer.MAX_VALUE);
    }

    public OptionalInt get(int second, Measure measure) {
        int value = values[measure.ordinal()][second];
        return value == UNKNOWN ? OptionalInt.empty() : OptionalInt.of(value);
    }

    /** Whether that second has a sample. */
    public boolean has(int second) {
        for (var places : values) {
            if (places[second] != UNKNOWN) {
                return true;
            }
        }
        return false;
    }

    /** An independent copy. */
    public MinuteSamples copy() {
        return new MinuteSamples(subject, number).with(this);
    }

    /** Samples of the other replace those of the same second. */
    public MinuteSamples with(MinuteSamples other) {
        for (int second = 0; second < SECONDS; second++) {
            if (other.has(second)) {
                for (int measure = 0; measure < values.length; measure++) {
                    values[measure][second] = other.values[measure][second];
                }
            }
        }
        return this;
    }

    /** The point of one second, if it has a sample. */
    public Optional<Point> second(int second) {
        return has(second)
                ? Optional.of(
                        new Point(
                                at() + second,
                                one(second, Measure.MEMORY_MIB),
                                one(second, Measure.PERCENT),
                                one(second, Measure.CELSIUS)))
                : Optional.empty();
    }

    private Total one(int second, Measure measure) {
        int value = values[measure.ordinal()][second];
        return value == UNKNOWN ? Total.NONE : Total.of(value);
    }

    /** The whole minute as one point. */
    public Point total() {
        return new Point(at(), sum(Measure.MEMORY_MIB), sum(Measure.PERCENT), sum(Measure.CELSIUS));
    }

    private Total sum(Measure measure) {
        int count = 0;
        long sum = 0;
        long peak = 0;
        for (int value : values[measure.ordinal()]) {
            if (value != UNKNOWN) {
                count++;
                sum += value;
                peak = Math.max(peak, value);
            }
        }
        return count == 0 ? Total.NONE : new Total(count, sum, peak);
    }
}
