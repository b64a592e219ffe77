package dev.berth.port.read;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.LongStream;

/**
 * GPU usage of one user in a time window. All figures are sums, so that those of several users can
 * be added.
 *
 * @param gpuSeconds time on GPUs within the window, counted for each GPU
 * @param load utilisation during that time
 * @param memory memory requested and used
 * @param waitMicros wait times of first attempts started in the window, in microseconds, shortest
 *     first
 */
public record UserUsage(
        String user, Tasks tasks, double gpuSeconds, Load load, Memory memory, long[] waitMicros) {

    private static final double MICROS = 1e6;

    /**
     * Tasks that ran or ended in the window.
     *
     * @param all including those that still run
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
     * Utilisation of the GPUs while claimed.
     *
     * @param percentSeconds percent times GPU-seconds
     * @param seconds GPU-seconds with a known utilisation
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
     * Of attempts on one GPU that ended in the window, where both figures are known.
     *
     * @param attempts number of these attempts
     */
    public record Memory(long attempts, long askedMib, long peakMib) {
        public static final Memory NONE = new Memory(0, 0, 0);

        public Memory plus(Memory other) {
            return new Memory(
                    attempts + other.attempts, askedMib + other.askedMib, peakMib + other.peakMib);
        }

        /** Peak memory as a fraction of the requested memory. */
        public OptionalDouble efficiency() {
            return askedMib > 0
                    ? OptionalDouble.of((double) peakMib / askedMib)
                    : OptionalDouble.empty();
        }
    }

    public UserUsage {
        waitMicros = waitMicros.clone();
        Arrays.sort(waitMicros);
    }

    public static UserUsage none(String user) {
        return new UserUsage(user, Tasks.NONE, 0, Load.NONE, Memory.NONE, new long[0]);
    }

    /** Both together, under the name of this one. */
    public UserUsage plus(UserUsage other) {
        return total(user, List.of(this, other));
    }

    /** All of them together; their waits are sorted once. */
    public static UserUsage total(String user, List<UserUsage> parts) {
        var tasks = Tasks.NONE;
        double gpuSeconds = 0;
        var load = Load.NONE;
        var memory = Memory.NONE;
        for (var part : parts) {
            tasks = tasks.plus(part.tasks);
            gpuSeconds += part.gpuSeconds;
            load = load.plus(part.load);
            memory = memory.plus(part.memory);
        }
        var waits = parts.stream().flatMapToLong(part -> LongStream.of(part.waitMicros)).toArray();
        return new UserUsage(user, tasks, gpuSeconds, load, memory, waits);
    }

    /** In seconds. */
    public OptionalDouble meanWait() {
        var mean = LongStream.of(waitMicros).average();
        return mean.isPresent() ? OptionalDouble.of(mean.getAsDouble() / MICROS) : mean;
    }

    /** A percentile of the wait times, in seconds. */
    public OptionalDouble waitPercentile(int percent) {
        if (waitMicros.length == 0) {
            return OptionalDouble.empty();
        }
        long rank = Math.max(1, Math.ceilDiv((long) waitMicros.length * percent, 100L));
        return OptionalDouble.of(waitMicros[(int) rank - 1] / MICROS);
    }

    /** The unit of {@link #waitMicros}. */
    public static long micros(Duration wait) {
        return Math.max(0, wait.toNanos() / 1000);
    }
}
