package dev.berth.core.gpu;

import dev.berth.core.id.AttemptId;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * What the driver reported about a GPU. Free memory is the reported value: it is not total minus
 * used.
 *
 * @param meanUtilizationPercent over the second before the reading
 * @param processes the processes on it; empty means the driver did not list them, not "none"
 */
public record GpuReading(
        OptionalLong usedMib,
        OptionalLong freeMib,
        OptionalInt utilizationPercent,
        OptionalInt temperatureC,
        OptionalInt meanUtilizationPercent,
        Optional<List<GpuProcess>> processes) {

    public GpuReading {
        processes = processes.map(List::copyOf);
    }

    /** A GPU without processes and with constant utilization. */
    public GpuReading(
            OptionalLong usedMib,
            OptionalLong freeMib,
            OptionalInt utilizationPercent,
            OptionalInt temperatureC) {
        this(
                usedMib,
                freeMib,
                utilizationPercent,
                temperatureC,
                utilizationPercent,
                Optional.of(List.of()));
    }

    /** The same reading with these processes. */
    public GpuReading withProcesses(Optional<List<GpuProcess>> processes) {
        return new GpuReading(
                usedMib,
                freeMib,
                utilizationPercent,
                temperatureC,
                meanUtilizationPercent,
                processes);
    }

    /** The same reading with more memory in use; less if negative. */
    public GpuReading withMoreUsed(long mib) {
        return new GpuReading(
                plus(usedMib, mib),
                plus(freeMib, -mib),
                utilizationPercent,
                temperatureC,
                meanUtilizationPercent,
                processes);
    }

    private static OptionalLong plus(OptionalLong mib, long more) {
        return mib.isPresent()
                ? OptionalLong.of(Math.max(0, mib.getAsLong() + more))
                : OptionalLong.empty();
    }

    /**
     * The same reading once attempts have ended.
     *
     * @param unreportedMib what they free if the driver does not report the memory of each process
     */
    public GpuReading without(List<AttemptId> ended, long unreportedMib) {
        if (processes.isPresent() && processes.get().isEmpty()) {
            return this;
        }
        Predicate<GpuProcess> isGone =
                process ->
                        process.owner() instanceof ProcessOwner.BerthAttempt(var attempt)
                                && ended.contains(attempt);
        long freed =
                processes
                        .map(all -> all.stream().filter(isGone).toList())
                        .filter(gone -> gone.stream().allMatch(one -> one.usedMib().isPresent()))
                        .map(gone -> gone.stream().mapToLong(one -> one.usedMib().orElse(0)).sum())
                        .orElse(unreportedMib);
        return withMoreUsed(-Math.min(usedMib.orElse(0), freed))
                .withProcesses(processes.map(all -> all.stream().filter(isGone.negate()).toList()));
    }
}
