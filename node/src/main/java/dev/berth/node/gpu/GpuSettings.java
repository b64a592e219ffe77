package dev.berth.node.gpu;

import dev.berth.core.plan.SchedulingRules;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * GPU settings of a node.
 *
 * @param nvidiaSmi path of the program; if set and the source is {@code auto}, only this program is
 *     used
 * @param nvml library to load instead of the driver's
 * @param rules checked once more just before a start
 */
public record GpuSettings(
        GpuSource source,
        Optional<Path> nvidiaSmi,
        Optional<Path> nvml,
        SchedulingRules rules,
        FaultHandling faultHandling) {

    /**
     * Handling of GPUs that fail.
     *
     * @param recoveryTime time in which a quarantined GPU must pass its test
     * @param testCommand a command that tests a GPU, instead of the built-in test
     * @param kernelLog file from which the driver's errors are read
     */
    public record FaultHandling(
            Duration recoveryTime, Optional<String> testCommand, Path kernelLog) {

        public static final FaultHandling DEFAULT =
                new FaultHandling(Duration.ofSeconds(30), Optional.empty(), Path.of("/dev/kmsg"));
    }

    public GpuSettings(
            GpuSource source,
            Optional<Path> nvidiaSmi,
            Optional<Path> nvml,
            SchedulingRules rules) {
        this(source, nvidiaSmi, nvml, rules, FaultHandling.DEFAULT);
    }

    public static GpuSettings of(GpuSource source) {
        return new GpuSettings(source, Optional.empty(), Optional.empty(), SchedulingRules.DEFAULT);
    }
}
