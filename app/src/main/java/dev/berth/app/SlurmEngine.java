package dev.berth.app;

import dev.berth.config.Configuration;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.task.ScriptReport;
import dev.berth.engine.ClusterTerms;
import dev.berth.engine.Engine;
import dev.berth.node.LocalNode;
import dev.berth.port.read.NodePorts;
import dev.berth.slurm.CommandLineSlurm;
import dev.berth.slurm.SharedAttemptFiles;
import dev.berth.slurm.SlurmCluster;
import dev.berth.slurm.SlurmSettings;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Builds the cluster that runs the tasks if the configuration names one. */
final class SlurmEngine {

    private SlurmEngine() {}

    /**
     * @param access the server's way to its node, which submits the jobs of other users
     * @param reports what scripts report about their own end
     */
    static Optional<SlurmCluster> open(
            ServerSettings settings,
            NodeAccess access,
            NodePorts node,
            Function<String, Optional<ScriptReport>> reports,
            InstantSource clock)
            throws IOException {
        var config = settings.config().slurm();
        if (config.isEmpty() || !(node instanceof LocalNode host)) {
            return Optional.empty();
        }
        var own = new CommandLineSlurm(System.getProperty("user.name"), Map.of());
        var files = files(settings.node(), host, clock);
        var accounts = access.accounts();
        return Optional.of(
                new SlurmCluster(
                        new SlurmCluster.SlurmParts(
                                access.jobCommands().map(own::withOwners).orElse(own),
                                accounts.isPresent() ? files.forOwners(accounts.get()) : files,
                                settings(config.get()),
                                host.bootId(),
                                host.homeId(),
                                settings.node().stopGrace(),
                                accounts,
                                reports,
                                id -> host.followProgress(id)::close),
                        clock));
    }

    private static SharedAttemptFiles files(
            LocalNode.NodeSettings node, LocalNode host, InstantSource clock) throws IOException {
        return new SharedAttemptFiles(
                node.tasksDirectory(),
                host.homeId(),
                host.shimScript(),
                node.gpus().rules().foreign() == ForeignProcessPolicy.YIELD,
                clock);
    }

    private static SlurmSettings settings(Configuration.SlurmConfig config) {
        return new SlurmSettings(
                config.partition(),
                config.account(),
                config.qos(),
                config.options(),
                config.gpuMemoryMib(),
                config.isHealing());
    }

    static Engine.Parts withCluster(
            Engine.Parts local, Optional<SlurmCluster> cluster, Configuration config) {
        return cluster.map(
                        one ->
                                local.with(
                                        new Engine.ClusterPart(
                                                one,
                                                new ClusterTerms(
                                                        config.slurm().orElseThrow().window()))))
                .orElse(local);
    }
}
