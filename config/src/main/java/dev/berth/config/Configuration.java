package dev.berth.config;

import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Receiver;
import dev.berth.core.access.CommandPolicy;
import dev.berth.core.access.Role;
import dev.berth.core.share.LimitRules;
import dev.berth.texts.Language;
import dev.berth.wire.ConfigEntry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The whole configuration, validated.
 *
 * @param commands which commands may be submitted
 * @param entries each key with its value and the source of the value
 * @param warnings settings that were read but have no effect
 */
public record Configuration(
        Listening listening,
        AccessRules access,
        GpuConfig gpus,
        SchedulingSettings scheduling,
        WorkerSettings workers,
        ExecutionSettings execution,
        LaneSettings lanes,
        StorageSettings storage,
        NotificationSettings notifications,
        CommandPolicy commands,
        List<ConfigEntry> entries,
        List<String> warnings) {

    /** How the server can be reached, and by whom. */
    public record Listening(
            String host,
            int port,
            boolean usesNextFreePort,
            boolean isAuthDisabled,
            Optional<String> publicUrl,
            List<String> corsOrigins,
            Optional<TlsPaths> tls,
            boolean isBehindProxy,
            int maxQueuedPerUser,
            boolean areMetricsOpen) {}

    /** The cluster that runs the tasks; empty if this machine does. */
    public Optional<SlurmConfig> slurm() {
        return execution.slurm();
    }

    /** The directory of the tasks' directories. */
    public Path tasksDirectory() {
        return slurm().flatMap(SlurmConfig::sharedDir).orElse(storage.runtime()).resolve("tasks");
    }

    /**
     * A Slurm cluster.
     *
     * @param sharedDir all nodes can read and write it
     * @param window tasks of one user in Slurm
     * @param options of every job, for {@code sbatch}
     * @param gpuMemoryMib memory of the GPUs by gres type
     */
    public record SlurmConfig(
            Optional<Path> sharedDir,
            OptionalInt window,
            Optional<String> partition,
            Optional<String> account,
            Optional<String> qos,
            List<String> options,
            SortedMap<String, Long> gpuMemoryMib,
            boolean isHealing) {}

    /**
     * Who may do what on a server for the whole machine, and how users log in.
     *
     * @param defaultRole of accounts that no other rule names; empty if they are not served
     * @param othersSeeLogs users see command, log, diagnosis and progress of each other's tasks
     * @param pamService checks passwords; empty if nobody logs in by password
     */
    public record AccessRules(
            SortedSet<String> admins,
            Optional<String> adminGroup,
            SortedSet<String> viewers,
            Optional<String> viewerGroup,
            Optional<String> userGroup,
            Optional<Role> defaultRole,
            boolean othersSeeLogs,
            Optional<String> pamService,
            Optional<ProxyUser> proxy) {}

    /**
     * A proxy that names users.
     *
     * @param user the proxy's own account, by name or uid
     */
    public record ProxyUser(String header, String user) {}

    /** PEM files of the port's certificate and of its private key. */
    public record TlsPaths(Path certificate, Path key) {}

    /** Which GPUs Berth uses, and when one counts as free. */
    public record GpuConfig(
            String probe,
            Optional<Path> nvidiaSmi,
            Optional<Path> nvml,
            GpuFaultHandling faultHandling,
            int thresholdPercent,
            boolean yieldsToOthers,
            Optional<SortedSet<Integer>> usable,
            SortedSet<Integer> reserved) {}

    /**
     * How faulty GPUs are handled.
     *
     * @param testCommand a command that replaces Berth's own GPU test
     */
    public record GpuFaultHandling(
            Duration recoveryTime, Optional<String> testCommand, Path kernelLog) {}

    /**
     * Order, placement and time limits of tasks. Policies are validated names.
     *
     * @param laneSelector the configured selector; lanes have a default of their own
     * @param shares what users and groups may use
     */
    public record SchedulingSettings(
            String order,
            String backfill,
            String selector,
            Optional<String> laneSelector,
            ShareSettings shares,
            Duration longWaitAfter,
            OptionalInt maxCpuTasks,
            Duration pollInterval,
            ModelSettings models,
            int defaultModelTaskSeconds,
            int maxTaskSeconds) {

        SchedulingSettings with(ShareSettings other) {
            return new SchedulingSettings(
                    order,
                    backfill,
                    selector,
                    laneSelector,
                    other,
                    longWaitAfter,
                    maxCpuTasks,
                    pollInterval,
                    models,
                    defaultModelTaskSeconds,
                    maxTaskSeconds);
        }
    }

    /**
     * What users and groups may use.
     *
     * @param weights by user; 1 for users that are not listed
     * @param vips users whose tasks go before others of the same priority
     * @param groupWeights by group
     * @param countsOutside GPU time outside Berth is charged to its users
     */
    public record ShareSettings(
            SortedMap<String, Double> weights,
            SortedSet<String> vips,
            SortedMap<String, Double> groupWeights,
            LimitRules limits,
            boolean countsOutside) {}

    /** Estimates about models. */
    public record ModelSettings(
            SortedMap<String, Long> memoryMib,
            long marginMib,
            int maxPerGpu,
            Duration cacheLife,
            boolean isWarmAwaited) {}

    /**
     * Models and the workers that keep them loaded.
     *
     * @param heartbeatInterval how often a worker is asked whether it is alive
     * @param heartbeatTimeout a worker that has not answered for this time is ended
     * @param loadLimit a worker that has not loaded its model by then is ended
     */
    public record WorkerSettings(
            SortedMap<String, ModelDefinition> models,
            Duration heartbeatInterval,
            Duration heartbeatTimeout,
            Duration loadLimit) {}

    /**
     * A model of the configuration.
     *
     * @param memoryMib 0 if unset
     * @param idleTime a worker without work for this time is unloaded
     * @param runAs the account of its workers, on the server of a machine
     */
    public record ModelDefinition(
            String worker,
            long memoryMib,
            boolean isPrewarmed,
            SortedMap<String, String> environment,
            Optional<Path> workDir,
            Optional<Duration> idleTime,
            Optional<String> runAs) {}

    /** How tasks are started and stopped. */
    public record ExecutionSettings(
            TmuxWindow window,
            Optional<Path> tmux,
            ShimProgram shim,
            Optional<Path> condaInitScript,
            List<Path> extraPath,
            Duration stopGrace,
            long logCapMib,
            Duration stallAfter,
            Optional<SlurmConfig> slurm) {}

    /** How command files run on GPUs that other users share. */
    public record LaneSettings(LaneRuleSettings rules, LaneFiles files) {}

    /**
     * What a running server can change.
     *
     * @param competeGpus used if not all GPUs are used, in the configured order
     * @param gpusLeft GPUs that stay free for others
     * @param sharesGpus tasks share a GPU if memory fits
     * @param retriesBeforeBackoff retries before a task backs off
     * @param maxRetries unlimited if empty
     * @param assignDelay between two starts of one file run
     */
    public record LaneRuleSettings(
            Duration checkTime,
            boolean usesAllGpus,
            List<Integer> competeGpus,
            int gpusLeft,
            boolean sharesGpus,
            int retriesBeforeBackoff,
            Duration backoff,
            OptionalInt maxRetries,
            Duration assignDelay,
            Duration startConfirmLimit,
            WorkDir workDir) {
        public LaneRuleSettings {
            competeGpus = List.copyOf(competeGpus);
        }
    }

    /**
     * The working directory of lane tasks.
     *
     * @param path absolute
     * @param isSet false for the default
     */
    public record WorkDir(Path path, boolean isSet) {}

    /** Where lanes read and write, as absolute paths. */
    public record LaneFiles(Path processJson, Path commandsPath, Path logDir, List<Path> logRoots) {
        public LaneFiles {
            logRoots = List.copyOf(logRoots);
        }
    }

    /** Where data is stored, as absolute paths, and for how long. */
    public record StorageSettings(
            Path runtime,
            Path database,
            boolean keepsHistory,
            BackupSettings backups,
            KeepSettings ended) {

        /** All tasks are kept. */
        public StorageSettings(
                Path runtime, Path database, boolean keepsHistory, BackupSettings backups) {
            this(runtime, database, keepsHistory, backups, new KeepSettings(0, 0));
        }
    }

    /**
     * The nightly backups of the database.
     *
     * @param keep how many are kept; 0 if none are made
     * @param hour of the day
     */
    public record BackupSettings(int keep, int hour) {}

    /**
     * How long ended tasks are kept.
     *
     * @param days tasks that ended longer ago are removed; 0 for none
     * @param tasks the maximum number of ended tasks; 0 for any number
     */
    public record KeepSettings(long days, long tasks) {}

    /**
     * Who is notified, and in which language.
     *
     * @param mailServer the mail server; empty if no mail is sent
     */
    public record NotificationSettings(
            Language language, Optional<MailServer> mailServer, List<Receiver> receivers) {
        public NotificationSettings {
            receivers = List.copyOf(receivers);
        }
    }

    /** The program that starts each task. */
    public enum ShimProgram {
        FASTEST,
        NATIVE,
        BASH
    }

    /** Whether a tmux window is opened for each task. */
    public enum TmuxWindow {
        IF_POSSIBLE,
        ALWAYS,
        NEVER
    }

    /**
     * @throws ConfigRefused the configuration is invalid
     */
    public static Configuration load(ConfigSources layers) throws InvalidConfigException {
        return of(ConfigValues.of(layers, FileDrafts.NONE), layers.home());
    }

    static Configuration of(ConfigValues values, Path home) throws InvalidConfigException {
        if (values.files().contains(values.lanesFile())) {
            values.putIfUnset(
                    ConfigKeys.FOREIGN_PROCESSES,
                    "fit",
                    "because this home has " + values.lanesFile().displayName());
        }
        var lanes = new LaneSettingsReader(values, home);
        return new Configuration(
                listening(values, home),
                AccessKeys.read(values),
                gpus(values, home),
                SchedulingSettingsReader.of(values),
                WorkerSettingsReader.of(values),
                execution(values, home),
                lanes.lanes(),
                lanes.storage(),
                NotificationSettingsReader.of(values, home),
                CommandKeys.policy(values),
                Stream.concat(ConfigKeys.ALL.stream(), values.familyKeys().stream())
                        .<ConfigEntry>map(key -> entry(key, values))
                        .toList(),
                values.warnings());
    }

    /**
     * A copy with the rules of {@code next}. A running server applies only the rules; all other
     * keys take effect at the next start.
     */
    Configuration withRulesOf(Configuration next) {
        return new Configuration(
                listening,
                access,
                new GpuConfig(
                        gpus.probe(),
                        gpus.nvidiaSmi(),
                        gpus.nvml(),
                        gpus.faultHandling(),
                        next.gpus.thresholdPercent(),
                        next.gpus.yieldsToOthers(),
                        gpus.usable(),
                        gpus.reserved()),
                scheduling.with(next.scheduling.shares),
                workers,
                execution,
                new LaneSettings(next.lanes.rules(), lanes.files()),
                storage,
                notifications,
                next.commands,
                Stream.concat(
                                entries.stream()
                                        .filter(entry -> !ChangeableKeys.isFamilyRule(entry.key()))
                                        .map(entry -> entryOf(entry, next)),
                                next.entries.stream()
                                        .filter(entry -> ChangeableKeys.isFamilyRule(entry.key())))
                        .toList(),
                warnings);
    }

    /** A value that did not change may still have moved to another line of its file. */
    private static ConfigEntry entryOf(ConfigEntry entry, Configuration next) {
        return next.entry(entry.key())
                .filter(
                        other ->
                                ChangeableKeys.isRule(entry.key())
                                        || Objects.equals(other.value(), entry.value()))
                .orElse(entry);
    }

    public Optional<ConfigEntry> entry(String key) {
        return entries.stream().filter(entry -> entry.key().equals(key)).findFirst();
    }

    private static Listening listening(ConfigValues values, Path home)
            throws InvalidConfigException {
        return new Listening(
                values.get(ConfigKeys.HOST),
                values.get(ConfigKeys.PORT).intValue(),
                values.get(ConfigKeys.AUTO_PORT),
                values.get(ConfigKeys.AUTH).equals("none"),
                values.find(ConfigKeys.PUBLIC_URL),
                values.get(ConfigKeys.CORS_ORIGINS),
                tls(values, home),
                values.get(ConfigKeys.BEHIND_PROXY),
                values.get(ConfigKeys.QUEUED_PER_USER).intValue(),
                values.get(ConfigKeys.METRICS_OPEN));
    }

    private static Optional<TlsPaths> tls(ConfigValues values, Path home)
            throws InvalidConfigException {
        var certificate = values.find(ConfigKeys.TLS_CERT);
        var key = values.find(ConfigKeys.TLS_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            var set = certificate.isPresent() ? ConfigKeys.TLS_CERT : ConfigKeys.TLS_KEY;
            var missing = certificate.isPresent() ? ConfigKeys.TLS_KEY : ConfigKeys.TLS_CERT;
            throw new InvalidConfigException(
                    "%s: %s needs %s beside it"
                            .formatted(values.source(set), set.name(), missing.name()));
        }
        return certificate.map(
                file -> new TlsPaths(home.resolve(file), home.resolve(key.orElseThrow())));
    }

    private static GpuConfig gpus(ConfigValues values, Path home) {
        return new GpuConfig(
                values.get(ConfigKeys.GPU_PROBE),
                values.find(ConfigKeys.NVIDIA_SMI).map(home::resolve),
                values.find(ConfigKeys.NVML).map(home::resolve),
                new GpuFaultHandling(
                        Duration.ofSeconds(values.get(ConfigKeys.GPU_RECOVERY)),
                        values.find(ConfigKeys.GPU_TEST),
                        home.resolve(values.get(ConfigKeys.KERNEL_LOG))),
                values.get(ConfigKeys.MEMORY_THRESHOLD).intValue(),
                values.get(ConfigKeys.FOREIGN_PROCESSES).equals("yield"),
                values.find(ConfigKeys.GPU_IDS).map(TreeSet::new),
                new TreeSet<>(values.get(ConfigKeys.RESERVED)));
    }

    private static ExecutionSettings execution(ConfigValues values, Path home)
            throws InvalidConfigException {
        return new ExecutionSettings(
                switch (values.get(ConfigKeys.RUNNER)) {
                    case "tmux" -> TmuxWindow.ALWAYS;
                    case "detached" -> TmuxWindow.NEVER;
                    default -> TmuxWindow.IF_POSSIBLE;
                },
                values.find(ConfigKeys.TMUX).map(home::resolve),
                switch (values.get(ConfigKeys.SHIM)) {
                    case "native" -> ShimProgram.NATIVE;
                    case "bash" -> ShimProgram.BASH;
                    default -> ShimProgram.FASTEST;
                },
                values.find(ConfigKeys.CONDA_INIT_SCRIPT).map(home::resolve),
                values.get(ConfigKeys.EXTRA_PATH).stream().map(home::resolve).toList(),
                Duration.ofSeconds(values.get(ConfigKeys.STOP_GRACE)),
                values.get(ConfigKeys.LOG_CAP),
                Duration.ofMinutes(values.get(ConfigKeys.STALL_MINUTES)),
                ClusterSettingsReader.of(values, home));
    }

    private static <T> ConfigEntry entry(ConfigKey<T> key, ConfigValues values) {
        return new ConfigEntry(
                key.name(),
                values.find(key).map(key.type()::format).orElse(null),
                key.defaultValue().map(key.type()::format).orElse(null),
                values.source(key),
                // Every key has an effect; 0.1.0 had some without.
                true,
                key.description());
    }
}
