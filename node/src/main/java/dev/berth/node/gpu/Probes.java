package dev.berth.node.gpu;

import dev.berth.node.process.SearchPath;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/** Chooses the probe that reads this host's GPUs. */
final class Probes {

    private static final String SMI = "nvidia-smi";

    private Probes() {}

    static GpuProbe open(GpuSettings settings, NodeAttempts attempts, SearchPath path) {
        return switch (settings.source()) {
            case GpuSource.None _ -> new NoProbe(Optional.empty());
            case GpuSource.Simulated(int count, long mib, String model) ->
                    simulated(new SimulatedGpus.Layout(count, mib, model, false), attempts);
            case GpuSource.Lab(int count, long mib, String model) ->
                    simulated(new SimulatedGpus.Layout(count, mib, model, true), attempts);
            case GpuSource.NvmlLibrary _ -> nvml(settings).orElseGet(() -> noLibrary(settings));
            case GpuSource.NvidiaSmi _ -> smi(settings, path).orElseGet(Probes::noProgram);
            case GpuSource.Auto _ -> auto(settings, path);
        };
    }

    private static GpuProbe auto(GpuSettings settings, SearchPath path) {
        if (settings.nvidiaSmi().isPresent()) {
            return new SmiProbe(settings.nvidiaSmi().get());
        }
        return nvml(settings)
                .or(() -> smi(settings, path))
                .orElseGet(() -> new NoProbe(Optional.empty()));
    }

    private static GpuProbe simulated(SimulatedGpus.Layout layout, NodeAttempts attempts) {
        return new SimulatedGpus(layout, attempts, InstantSource.system());
    }

    private static Optional<GpuProbe> nvml(GpuSettings settings) {
        return Nvml.load(library(settings)).map(NvmlProbe::new);
    }

    private static String library(GpuSettings settings) {
        return settings.nvml().map(Path::toString).orElse(Nvml.DEFAULT_NAME);
    }

    private static GpuProbe noLibrary(GpuSettings settings) {
        return new NoProbe(Optional.of(library(settings) + " cannot be loaded"));
    }

    private static GpuProbe noProgram() {
        return new NoProbe(Optional.of("there is no nvidia-smi on the PATH"));
    }

    private static Optional<GpuProbe> smi(GpuSettings settings, SearchPath path) {
        return settings.nvidiaSmi().or(() -> path.find(SMI)).map(SmiProbe::new);
    }
}
