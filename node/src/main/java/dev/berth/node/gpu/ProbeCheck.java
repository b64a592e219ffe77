package dev.berth.node.gpu;

import dev.berth.node.process.SearchPath;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reads the GPUs once, in the same way as a server does, to check whether a server could read them.
 */
public sealed interface ProbeCheck {

    /** Longer than a slow driver needs. */
    Duration TIMEOUT = Duration.ofSeconds(8);

    /**
     * @param probe name of the probe
     * @param models of the GPUs, by index
     */
    record Readable(String probe, List<String> models) implements ProbeCheck {
        public Readable {
            models = List.copyOf(models);
        }
    }

    record Failed(String why) implements ProbeCheck {}

    static ProbeCheck run(GpuSettings settings, SearchPath path) {
        var check = new CompletableFuture<ProbeCheck>();
        // A driver may hang forever; then this thread is abandoned.
        Thread.ofPlatform()
                .name("gpu-check")
                .daemon()
                .start(() -> check.complete(ask(settings, path)));
        return check.completeOnTimeout(
                        new Failed("no answer within " + TIMEOUT.toSeconds() + " s"),
                        TIMEOUT.toSeconds(),
                        TimeUnit.SECONDS)
                .join();
    }

    private static ProbeCheck ask(GpuSettings settings, SearchPath path) {
        try (var probe = Probes.open(settings, new NodeAttempts(), path)) {
            return new Readable(probe.name(), probe.read().stream().map(ProbedGpu::model).toList());
        } catch (ProbeFailure failure) {
            return new Failed(failure.why());
        } catch (RuntimeException defect) {
            return new Failed("reading them failed: " + defect);
        }
    }
}
