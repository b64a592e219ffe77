package dev.berth.slurm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.id.AttemptId;
import dev.berth.node.process.Proc;
import dev.berth.node.process.SearchPath;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.shim.ShimScript;
import dev.berth.node.shim.ShimTools;
import dev.berth.port.Cluster;
import dev.berth.testkit.ClusterContract;
import dev.berth.testkit.Eventually;
import dev.berth.testkit.SlurmTestCluster;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The contract on a real Slurm cluster with fake GPUs; each test has a cluster of its own. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class SlurmClusterTest extends ClusterContract {

    private static final Duration WITHIN = Duration.ofMinutes(5);

    @TempDir private Path directory;

    @Override
    protected Subject open(long seed) throws IOException {
        var missing = SlurmTestCluster.missing();
        assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
        return new RealSlurm(SlurmTestCluster.start(), directory);
    }

    private static final class RealSlurm extends Subject {

        private final SlurmTestCluster slurm;
        private final Path directory;
        private SlurmCluster server;

        RealSlurm(SlurmTestCluster slurm, Path directory) throws IOException {
            super("n", 1);
            this.slurm = slurm;
            this.directory = directory;
            this.server = newServer();
        }

        private SlurmCluster newServer() throws IOException {
            var path = System.getenv().getOrDefault("PATH", "");
            var shim =
                    new ShimScript(
                            ShimTools.find(new SearchPath(path)), "22", CommandSettings.NONE);
            var client = new CommandLineSlurm(System.getProperty("user.name"), slurm.environment());
            var settings = SlurmSettings.DEFAULT.healing();
            var cluster =
                    new SlurmCluster(
                            new SlurmCluster.SlurmParts(
                                    client,
                                    new SharedAttemptFiles(
                                            directory.resolve("tasks"),
                                            "home",
                                            shim,
                                            false,
                                            InstantSource.system()),
                                    settings,
                                    Proc.bootId(),
                                    "home",
                                    Duration.ofSeconds(2),
                                    Optional.empty(),
                                    _ -> Optional.empty(),
                                    _ -> () -> {}),
                            InstantSource.system());
            cluster.start(this::report);
            return cluster;
        }

        @Override
        public Cluster cluster() {
            return server;
        }

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public String command(int seconds, int code) {
            return "echo \"$BERTH_ATTEMPT\" >>"
                    + directory.resolve("starts")
                    + "; sleep "
                    + seconds
                    // Whichever process is signalled first, its code is not 0 then.
                    + " && exit "
                    + code;
        }

        @Override
        public List<AttemptId> starts() {
            try {
                return Files.readAllLines(directory.resolve("starts")).stream()
                        .map(line -> AttemptId.parse(line.substring(line.indexOf('/') + 1)))
                        .toList();
            } catch (NoSuchFileException none) {
                return List.of();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void await(String what, BooleanSupplier condition) {
            Eventually.eventually(WITHIN, what, condition::getAsBoolean);
        }

        @Override
        public void restartServer() {
            server.close();
            try {
                server = newServer();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void stopController() {
            slurm.killController();
        }

        @Override
        public void startController() {
            slurm.startController();
        }

        @Override
        public void crashController() {
            slurm.killController();
            slurm.startController();
        }

        @Override
        public void loseHost(String host) {
            slurm.killNode(host);
            slurm.command("scontrol", "update", "nodename=" + host, "state=down", "reason=test");
        }

        @Override
        public void recoverHost(String host) {
            slurm.startNode(host);
        }

        @Override
        public void drain(String host) {
            slurm.command("scontrol", "update", "nodename=" + host, "state=drain", "reason=test");
        }

        @Override
        public void resume(String host) {
            slurm.command("scontrol", "update", "nodename=" + host, "state=resume");
        }

        @Override
        public void close() {
            server.close();
            slurm.close();
        }
    }
}
