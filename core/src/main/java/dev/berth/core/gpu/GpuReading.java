package dev.berth.core.gpu;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

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
}
