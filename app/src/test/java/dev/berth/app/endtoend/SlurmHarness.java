package dev.berth.app.endtoend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.testkit.SlurmTestCluster;

import java.io.IOException;
import java.util.Map;

/** A real cluster, and a server that hands its tasks to it. */
record SlurmHarness(ServerHarness server, SlurmTestCluster cluster) implements AutoCloseable {

    static SlurmHarness start(ServerHarness server) throws IOException {
        return start(server, Map.of());
    }

    /**
     * @param settings variables of the script {@code cluster.sh}
     */
    static SlurmHarness start(ServerHarness server, Map<String, String> settings)
            throws IOException {
        var missing = SlurmTestCluster.missing();
        assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
        var cluster = SlurmTestCluster.start(4, settings);
        cluster.environment().forEach(server::env);
        server.configure(
                "engine: slurm\nslurm:\n  gpu_types: [\"a100:40\", \"v100:16\"]\n  heal: true\n");
        server.options("--auth", "none");
        return new SlurmHarness(server, cluster);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
