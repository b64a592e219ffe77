package dev.berth.app;

import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.model.Model;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.ShareRules;
import dev.berth.core.task.Backoff;
import dev.berth.engine.AttemptSettings;
import dev.berth.engine.QueueSettings;
import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.identity.RoleRules;
import dev.berth.identity.RoleRules.Members;
import dev.berth.node.LocalNode;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.shim.ShimChoice;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.worker.WorkerSettings;
import dev.berth.notify.Notifier;
import dev.berth.server.AccessSettings;
import dev.berth.server.HttpSettings;
import dev.berth.server.api.task.TimeLimits;
import dev.berth.server.tls.TlsFiles;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * The start-up settings of a server, converted for each of its parts.
 *
 * @param sources the sources of the configuration
 * @param isQuiet true to log to the file only
 * @param system the paths of a server for the whole machine; empty for a personal one
 * @param models those of the configuration
 */
record ServerSettings(
        ConfigSources sources,
        Configuration config,
        GpuSource gpus,
        boolean isQuiet,
        Optional<SystemPaths> system,
        SortedMap<String, Model> models) {

    /** Directory for the socket of a home whose own path is too long for a socket address. */
    private static final Path SHORT_ROOT = Path.of("/tmp");

    /**
     * @throws IllegalArgumentException names the key whose value contradicts the others
     */
    ServerSettings {
        models = Collections.unmodifiableSortedMap(models);
        try {
            var _ = http(sources.home(), config, system);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    withSource(String.valueOf(wrong.getMessage()), config));
        }
    }

    /** A personal server. */
    ServerSettings(ConfigSources sources, Configuration config, GpuSource gpus, boolean isQuiet) {
        this(
                sources,
                config,
                gpus,
                isQuiet,
                Optional.empty(),
                ConfiguredModels.of(config, sources.home(), Optional.empty()));
    }

    /** Adds the source of the key that the message begins with. */
    private static String withSource(String message, Configuration config) {
        return config.entries().stream()
                .filter(entry -> message.startsWith(entry.key() + ":"))
                .map(entry -> entry.source() + ": " + message)
                .findFirst()
                .orElse(message);
    }

    HomePaths home() {
        return system.isPresent()
                ? HomePaths.of(system.get(), config)
                : HomePaths.of(sources.home(), config);
    }

    /**
     * The same server with another configuration.
     *
     * @throws IllegalArgumentException the configuration is contradictory
     */
    ServerSettings with(Configuration other) {
        return new ServerSettings(sources, other, gpus, isQuiet, system, models);
    }

    HttpSettings http() {
        return http(sources.home(), config, system);
    }

    private static HttpSettings http(
            Path home, Configuration config, Optional<SystemPaths> system) {
        var listening = config.listening();
        var defaults = UserLimits.DEFAULT;
        return new HttpSettings(
                home,
                SHORT_ROOT,
                listening.host(),
                listening.port(),
                listening.usesNextFreePort(),
                listening.isAuthDisabled() ? AuthMode.NONE : AuthMode.TOKEN,
                listening.publicUrl().map(ServerSettings::url),
                new HashSet<>(listening.corsOrigins()),
                listening.tls().map(tls -> new TlsFiles(tls.certificate(), tls.key())),
                listening.isBehindProxy(),
                new UserLimits(
                        defaults.requestsPerSecond(),
                        defaults.requestBurst(),
                        defaults.streams(),
                        listening.maxQueuedPerUser()),
                access(config, system.map(SystemPaths::socket)));
    }

    /**
     * @param systemSocket the socket of a server for the whole machine; empty for a personal one
     */
    private static AccessSettings access(Configuration config, Optional<Path> systemSocket) {
        var rules = config.access();
        var roles =
                new RoleRules(
                        new Members(rules.admins(), rules.adminGroup()),
                        new Members(rules.viewers(), rules.viewerGroup()),
                        new Members(Set.of(), rules.userGroup()),
                        rules.defaultRole());
        return new AccessSettings(
                systemSocket.map(socket -> new AccessSettings.SystemAccess(socket, roles)),
                rules.proxy()
                        .map(proxy -> new AccessSettings.ProxyHeader(proxy.header(), proxy.user())),
                // Decided by the node where that is another process.
                false);
    }

    private static URI url(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException(
                    "public_url: is like https://berth.example.org, not " + text);
        }
    }

    SchedulingRules rules() {
        var gpus = config.gpus();
        var scheduling = config.scheduling();
        var models = scheduling.models();
        return new SchedulingRules(
                gpus.thresholdPercent(),
                gpus.yieldsToOthers() ? ForeignProcessPolicy.YIELD : ForeignProcessPolicy.FIT,
                new GpuPool(gpus.usable(), gpus.reserved()),
                new MemoryEstimates(models.memoryMib(), models.marginMib()),
                new ModelCache(models.maxPerGpu(), models.cacheLife(), models.isWarmAwaited()),
                scheduling.maxCpuTasks(),
                laneRules(),
                new ShareRules(
                        scheduling.shares().limits(),
                        new ConfiguredPolicies(scheduling).userWeights(),
                        scheduling.shares().countsOutside()));
    }

    private LaneRules laneRules() {
        var lanes = config.lanes().rules();
        var named =
                lanes.usesAllGpus()
                        ? Optional.<List<Integer>>empty()
                        : Optional.of(lanes.competeGpus());
        return new LaneRules(named, lanes.gpusLeft(), lanes.sharesGpus());
    }

    /** The rules that can change while lanes run. */
    AttemptSettings tuning() {
        var lanes = config.lanes().rules();
        return new AttemptSettings(
                new Backoff(lanes.retriesBeforeBackoff(), lanes.backoff()),
                lanes.maxRetries(),
                lanes.assignDelay(),
                lanes.startConfirmLimit(),
                models);
    }

    Planner planner() {
        var policies = new ConfiguredPolicies(config.scheduling());
        var rules = rules();
        return new Planner(
                rules,
                policies.backfill(),
                policies.placement(rules.modelCache()),
                policies.lanePlacement(rules.modelCache()));
    }

    QueueSettings queueing() {
        var scheduling = config.scheduling();
        return new QueueSettings(
                new ConfiguredPolicies(scheduling).order(),
                config.listening().maxQueuedPerUser(),
                scheduling.longWaitAfter(),
                scheduling.pollInterval(),
                tuning(),
                ServerMemory.ofThisProcess().taskBytes());
    }

    Notifier.NotifierSettings notifications() {
        var notifications = config.notifications();
        return new Notifier.NotifierSettings(
                notifications.receivers(),
                notifications.mailServer(),
                notifications.language(),
                config.listening().publicUrl(),
                home().root().resolve("messages"),
                http().access().isSystem() && !config.access().othersSeeLogs());
    }

    TimeLimits timeLimits() {
        var scheduling = config.scheduling();
        return new TimeLimits(scheduling.defaultModelTaskSeconds(), scheduling.maxTaskSeconds());
    }

    private GpuSettings gpuSettings() {
        var config = this.config.gpus();
        var faultHandling = config.faultHandling();
        return new GpuSettings(
                // The GPUs of a cluster are those that Slurm lists.
                this.config.slurm().isPresent() ? new GpuSource.None() : gpus,
                config.nvidiaSmi(),
                config.nvml(),
                rules(),
                new GpuSettings.FaultHandling(
                        faultHandling.recoveryTime(),
                        faultHandling.testCommand(),
                        faultHandling.kernelLog()));
    }

    LocalNode.NodeSettings node() {
        var running = config.execution();
        var windowMode =
                switch (running.window()) {
                    case IF_POSSIBLE -> TmuxWindows.WindowMode.IF_AVAILABLE;
                    case ALWAYS -> TmuxWindows.WindowMode.ALWAYS;
                    case NEVER -> TmuxWindows.WindowMode.NEVER;
                };
        var shim =
                switch (running.shim()) {
                    case FASTEST -> ShimChoice.AUTO;
                    case NATIVE -> ShimChoice.NATIVE;
                    case BASH -> ShimChoice.BASH;
                };
        return new LocalNode.NodeSettings(
                "local",
                home().tasks(),
                gpuSettings(),
                running.stopGrace(),
                running.logCapMib(),
                new CommandSettings(running.extraPath(), running.condaInitScript(), shim),
                new TmuxWindows.WindowSettings(windowMode, running.tmux()),
                running.stallAfter(),
                new WorkerSettings(
                        config.workers().heartbeatInterval(),
                        config.workers().heartbeatTimeout(),
                        config.workers().loadLimit(),
                        running.stopGrace(),
                        running.logCapMib() << 20),
                Optional.empty());
    }
}
