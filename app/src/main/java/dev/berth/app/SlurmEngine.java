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
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Builds the cluster that runs the tasks if the configuration names one. */
final class SlurmEngine {

    private SlurmEngine() {}

    /**
     * @param reports what scripts report about their own end
     */
    static Optional<SlurmCluster> open(
            ServerSettings settings,
            NodePorts node,
            Function<String, Optional<ScriptReport>> reports,
            InstantSource clock)
            throws HomeRefused, IOException {
        var config = settings.config().slurm();
        if (config.isEmpty()) {
            return Optional.empty();
        }
        if (!(node instanceof LocalNode host)) {
            throw new HomeRefused(
                    "engine: slurm works only in a home of one user; remove it, or start without"
                            + " --system");
        }
        return Optional.of(open(config.get(), settings.node(), host, reports, clock));
    }

    private static SlurmCluster open(
            Configuration.SlurmConfig config,
            LocalNode.NodeSettings node,
            LocalNode host,
            Function<String, Optional<ScriptReport>> reports,
            InstantSource clock)
            throws IOException {
        var files =
                new SharedAttemptFiles(
                        node.tasksDirectory(),
                        host.homeId(),
                        host.shimScript(),
                        node.gpus().rules().foreign() == ForeignProcessPolicy.YIELD,
                        clock);
        var settings =
                new SlurmSettings(
                        config.partition(),
                        config.account(),
                        config.qos(),
                        config.options(),
                        config.gpuMemoryMib(),
                        config.isHealing());
        return new SlurmCluster(
                new SlurmCluster.SlurmParts(
                        new CommandLineSlurm(System.getProperty("user.name"), Map.of()),
                        files,
                        settings,
                        host.bootId(),
                        host.homeId(),
                        node.stopGrace(),
                        reports,
                        id -> host.followProgress(id)::close),
                clock);
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
