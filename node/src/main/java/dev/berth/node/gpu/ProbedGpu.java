package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The data of one GPU in an answer of a probe. Its processes are identified by pid; their owners
 * are found later, unless the probe knows them.
 *
 * @param isMigEnabled in MIG mode: processes there use instances, not the GPU itself
 * @param error the error that the driver returns instead of its memory; a value that the driver
 *     just does not support is not an error
 */
record ProbedGpu(
        String uuid,
        int index,
        String model,
        OptionalLong totalMib,
        GpuReading reading,
        boolean isMigEnabled,
        Optional<String> error) {

    ProbedGpu(
            String uuid,
            int index,
            String model,
            OptionalLong totalMib,
            GpuReading reading,
            boolean isSplit) {
        this(uuid, index, model, totalMib, reading, isSplit, Optional.empty());
    }

    /** The driver lists the GPU, but reports it as lost. */
    boolean isLost() {
        return error.filter(text -> text.toLowerCase(Locale.ROOT).contains("lost")).isPresent();
    }

    ProbedGpu with(Optional<List<GpuProcess>> processes) {
        return new ProbedGpu(
                uuid,
                index,
                model,
                totalMib,
                reading.withProcesses(processes),
                isMigEnabled,
                error);
    }
}
