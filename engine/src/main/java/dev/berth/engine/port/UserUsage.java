package dev.berth.engine.port;

import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.stream.LongStream;

/**
 * What somebody had of the cards within a time. All of it are sums, so that those of several people
 * can be added.
 *
 * @param gpuSeconds the time on cards that falls into the window, once for each card
 * @param load how much of that was spent how busy
 * @param memory what was asked for and what was held
 * @param waits of first attempts granted in the window, in microseconds, shortest first
 */
public record UserUsage(
        String user, Tasks tasks, double gpuSeconds, Load load, Memory memory, long[] waits) {

    private static final double MICROS = 1e6;

    /**
     * Tasks that ran or ended in the window.
     *
     * @param all also those that go on
     */
    public record Tasks(long all, long completed, long failed, long cancelled) {
        public static final Tasks NONE = new Tasks(0, 0, 0, 0);

        public Tasks plus(Tasks other) {
            return new Tasks(
                    all + other.all,
                    completed + other.completed,
                    failed + other.failed,
                    cancelled + other.cancelled);
        }
    }

    /**
     * How busy the cards were while they were held.
     *
     * @param percentSeconds percent times GPU-seconds
     * @param seconds GPU-seconds of which the load is known
     */
    public record Load(double percentSeconds, double seconds) {
        public static final Load NONE = new Load(0, 0);

        public Load plus(Load other) {
            return new Load(percentSeconds + other.percentSeconds, seconds + other.seconds);
        }

        public OptionalDouble meanPercent() {
            return seconds > 0
                    ? OptionalDouble.of(percentSeconds / seconds)
                    : OptionalDouble.empty();
        }
    }

    /**
     * Of attempts ended in the window of which both is known, on one card each.
     *
     * @param attempts how many those are
     */
    public record Memory(long attempts, long askedMib, long peakMib) {
        public static final Memory NONE = new Memory(0, 0, 0);

        public Memory plus(Memory other) {
            return new Memory(
                    attempts + other.attempts, askedMib + other.askedMib, peakMib + other.peakMib);
        }

        /** How much of what was asked for was ever held. */
        public OptionalDouble efficiency() {
            return askedMib > 0
                    ? OptionalDouble.of((double) peakMib / askedMib)
                    : OptionalDouble.empty();
        }
    }

    public UserUsage {
        waits = waits.clone();
        Arrays.sort(waits);
    }

    public static UserUsage nothing(String user) {
        return new UserUsage(user, Tasks.NONE, 0, Load.NONE, Memory.NONE, new long[0]);
    }

    /** Both together, in this one's name. */
    public UserUsage plus(UserUsage other) {
        return new UserUsage(
                user,
                tasks.plus(other.tasks),
                gpuSeconds + other.gpuSeconds,
                load.plus(other.load),
                memory.plus(other.memory),
                LongStream.concat(LongStream.of(waits), LongStream.of(other.waits)).toArray());
    }

    /** In seconds. */
    public OptionalDouble meanWait() {
        var mean = LongStream.of(waits).average();
        return mean.isPresent() ? OptionalDouble.of(mean.getAsDouble() / MICROS) : mean;
    }

    /** In seconds; so many of 100 waits were no longer. */
    public OptionalDouble wait(int percent) {
        if (waits.length == 0) {
            return OptionalDouble.empty();
        }
        long rank = Math.max(1, Math.ceilDiv((long) waits.length * percent, 100L));
        return OptionalDouble.of(waits[(int) rank - 1] / MICROS);
    }

    /** As it is counted in {@link #waits}. */
    public static long micros(Duration wait) {
        return Math.max(0, wait.toNanos() / 1000);
    }
}
