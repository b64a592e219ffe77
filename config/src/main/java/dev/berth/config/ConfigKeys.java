package dev.berth.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** All keys, in the order in which they are shown. */
final class ConfigKeys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;

    // Server address and access.
    static final ConfigKey<String> HOST =
            ConfigKey.withDefault(
                    "host", ValueType.text(), "127.0.0.1", "the address the server listens on");
    static final ConfigKey<Long> PORT =
            ConfigKey.withDefault(
                    "port",
                    ValueType.wholeNumber(0, 65_535),
                    29_214L,
                    "the port; 0 for any free one");
    static final ConfigKey<Boolean> AUTO_PORT =
            ConfigKey.withDefault(
                    "auto_port",
                    ValueType.flag(),
                    false,
                    "use the next free port if the port is in use");
    static final ConfigKey<String> AUTH =
            ConfigKey.withDefault(
                    "auth",
                    ValueType.word("token", "none"),
                    "token",
                    "how callers on the port authenticate; none serves only programs of the"
                            + " server's user on this machine");
    static final ConfigKey<String> PUBLIC_URL =
            ConfigKey.withoutDefault(
                    "public_url", ValueType.text(), "the URL that users see, behind a proxy");
    static final ConfigKey<List<String>> CORS_ORIGINS =
            ConfigKey.withDefault(
                    "cors_origins",
                    ValueType.texts(),
                    List.of(),
                    "other origins that may call the API");
    static final ConfigKey<String> TLS_CERT =
            ConfigKey.withoutDefault(
                    "tls_cert",
                    ValueType.text(),
                    "a PEM file with the certificate of the port; then it serves HTTPS only");
    static final ConfigKey<String> TLS_KEY =
            ConfigKey.withoutDefault(
                    "tls_key", ValueType.text(), "a PEM file with the private key of tls_cert");
    static final ConfigKey<Boolean> BEHIND_PROXY =
            ConfigKey.withDefault(
                    "behind_proxy",
                    ValueType.flag(),
                    false,
                    "a proxy with TLS is in front of the server, so it may listen on other"
                            + " addresses");
    static final ConfigKey<Long> QUEUED_PER_USER =
            ConfigKey.withDefault(
                    "max_queued_per_user",
                    ValueType.wholeNumber(1, 10_000_000),
                    200_000L,
                    "the maximum number of waiting tasks of one user");
    static final ConfigKey<Boolean> METRICS_OPEN =
            ConfigKey.withDefault(
                    "metrics_open",
                    ValueType.flag(),
                    false,
                    "serve /metrics to callers without a token");

    // GPUs.
    static final ConfigKey<String> GPU_PROBE =
            ConfigKey.withDefault(
                    "gpu_probe",
                    ValueType.word("auto", "nvml", "nvidia-smi", "sim", "none"),
                    "auto",
                    "how the GPUs are read");
    static final ConfigKey<String> NVIDIA_SMI =
            ConfigKey.withoutDefault(
                    "nvidia_smi_path",
                    ValueType.text(),
                    "the path of nvidia-smi; setting it selects that probe");
    static final ConfigKey<String> NVML =
            ConfigKey.withoutDefault(
                    "nvml_path",
                    ValueType.text(),
                    "the driver's library, if it is not found by itself");
    static final ConfigKey<Long> GPU_RECOVERY =
            ConfigKey.withDefault(
                    "gpu_recovery_seconds",
                    ValueType.wholeNumber(1, 3600),
                    30L,
                    "how long Berth tests a quarantined GPU before it stays quarantined");
    static final ConfigKey<String> GPU_TEST =
            ConfigKey.withoutDefault(
                    "gpu_test_command",
                    ValueType.text(),
                    "a command that tests a quarantined GPU before it is used again, instead of"
                            + " Berth's own test");
    static final ConfigKey<String> KERNEL_LOG =
            ConfigKey.withDefault(
                    "kernel_log_path",
                    ValueType.text(),
                    "/dev/kmsg",
                    "the file with the driver's errors (Xid)");
    static final ConfigKey<Long> MEMORY_THRESHOLD =
            ConfigKey.withDefault(
                    "memory_threshold_percent",
                    ValueType.wholeNumber(1, 100),
                    20L,
                    "memory use at which a GPU counts as busy for tasks that state no memory");
    static final ConfigKey<String> FOREIGN_PROCESSES =
            ConfigKey.withDefault(
                    "foreign",
                    ValueType.word("yield", "fit"),
                    "yield",
                    "yield starts no task on a GPU on which another user computes; fit checks only"
                            + " whether memory fits");
    static final ConfigKey<List<Integer>> GPU_IDS =
            ConfigKey.withoutDefault(
                    "scheduler.gpu_ids",
                    ValueType.gpuIndexes(),
                    "the GPUs that Berth may use; all if unset");
    static final ConfigKey<List<Integer>> RESERVED =
            ConfigKey.withDefault(
                    "scheduler.reserved_gpu_ids",
                    ValueType.gpuIndexes(),
                    List.of(),
                    "GPUs that no task gets");

    // Task execution.
    static final ConfigKey<String> RUNNER =
            ConfigKey.withDefault(
                    "runner",
                    ValueType.word("auto", "tmux", "detached"),
                    "auto",
                    "whether each task gets a tmux window: if possible, always, never");
    static final ConfigKey<String> TMUX =
            ConfigKey.withoutDefault("tmux_path", ValueType.text(), "the program tmux");
    static final ConfigKey<String> SHIM =
            ConfigKey.withDefault(
                    "shim",
                    ValueType.word("auto", "native", "bash"),
                    "auto",
                    "the program that starts tasks: the native one if it works here, always that,"
                            + " always bash");
    static final ConfigKey<String> CONDA_INIT_SCRIPT =
            ConfigKey.withoutDefault(
                    "conda_init_script", ValueType.text(), "a script sourced before every command");
    static final ConfigKey<List<String>> EXTRA_PATH =
            ConfigKey.withDefault(
                    "extra_path",
                    ValueType.texts(),
                    List.of(),
                    "directories at the start of the tasks' PATH");
    static final ConfigKey<Long> STOP_GRACE =
            ConfigKey.withDefault(
                    "stop_grace_seconds",
                    ValueType.wholeNumber(0, DAY),
                    10L,
                    "time between SIGTERM and SIGKILL when a task is ended");
    static final ConfigKey<Long> LOG_CAP =
            ConfigKey.withDefault(
                    "log_cap_mib",
                    ValueType.wholeNumber(4, 1 << 20),
                    1024L,
                    "maximum size of the log of one attempt");
    static final ConfigKey<Long> STALL_MINUTES =
            ConfigKey.withDefault(
                    "stall_minutes",
                    ValueType.wholeNumber(0, YEAR / 60),
                    10L,
                    "raise an alert if a running task makes no progress for this time; 0 for"
                            + " never");

    static final ConfigKey<Boolean> HISTORY =
            ConfigKey.withDefault(
                    "history",
                    ValueType.flag(),
                    true,
                    "record the history of GPUs and tasks by the second, minute and hour");

    static final ConfigKey<Long> KEEP_DAYS =
            ConfigKey.withDefault(
                    "keep_days",
                    ValueType.wholeNumber(0, 36_500),
                    0L,
                    "remove tasks with their files this many days after their end; 0 for never");
    static final ConfigKey<Long> KEEP_TASKS =
            ConfigKey.withDefault(
                    "keep_tasks",
                    ValueType.wholeNumber(0, 100_000_000),
                    0L,
                    "the maximum number of ended tasks: those that ended first are removed with"
                            + " their files; 0 for any number");

    static final List<ConfigKey<?>> ALL =
            Stream.of(
                            Stream.<ConfigKey<?>>of(
                                    HOST,
                                    PORT,
                                    AUTO_PORT,
                                    AUTH,
                                    PUBLIC_URL,
                                    CORS_ORIGINS,
                                    TLS_CERT,
                                    TLS_KEY,
                                    BEHIND_PROXY,
                                    QUEUED_PER_USER,
                                    METRICS_OPEN),
                            AccessKeys.ALL.stream(),
                            Stream.<ConfigKey<?>>of(
                                    GPU_PROBE,
                                    NVIDIA_SMI,
                                    NVML,
                                    GPU_RECOVERY,
                                    GPU_TEST,
                                    KERNEL_LOG,
                                    MEMORY_THRESHOLD,
                                    FOREIGN_PROCESSES,
                                    GPU_IDS,
                                    RESERVED),
                            SchedulingKeys.ALL.stream(),
                            ShareKeys.ALL.stream(),
                            Stream.<ConfigKey<?>>of(
                                    RUNNER,
                                    SHIM,
                                    TMUX,
                                    CONDA_INIT_SCRIPT,
                                    EXTRA_PATH,
                                    STOP_GRACE,
                                    LOG_CAP,
                                    STALL_MINUTES,
                                    HISTORY,
                                    KEEP_DAYS,
                                    KEEP_TASKS),
                            CommandKeys.ALL.stream(),
                            BackupKeys.ALL.stream(),
                            LaneKeys.ALL.stream(),
                            ClusterKeys.ALL.stream(),
                            NotificationKeys.ALL.stream(),
                            ModelKeys.ALL.stream())
                    .flatMap(Function.identity())
                    .toList();

    /** Groups whose members have user-defined names. */
    static final Set<String> OPEN_GROUPS = Set.of("models", "container");

    private ConfigKeys() {}

    /** Keys with a user-defined name. */
    static final List<KeyFamily<?>> FAMILIES =
            Stream.of(SchedulingKeys.FAMILIES, ShareKeys.FAMILIES, ModelKeys.FAMILIES)
                    .<KeyFamily<?>>flatMap(List::stream)
                    .toList();

    /** Finds a key by its full name, by its name without the group, or below {@code scheduler:}. */
    static Optional<ConfigKey<?>> find(String name) {
        var bare = withoutScheduler(name);
        var found =
                ALL.stream()
                        .filter(
                                key ->
                                        key.name().equals(name)
                                                || key.name().equals(bare)
                                                || key.name().equals("scheduler." + bare))
                        .findFirst();
        return found.isPresent()
                ? found
                : findInFamilies(bare).or(() -> NotificationKeys.receiverKey(name));
    }

    private static Optional<ConfigKey<?>> findInFamilies(String name) {
        for (var family : FAMILIES) {
            var member = family.memberOf(name);
            if (member.isPresent()) {
                return Optional.of(family.keyOf(member.get()));
            }
        }
        return Optional.empty();
    }

    /** True if there are keys below this name. */
    static boolean isGroup(String name) {
        var bare = withoutScheduler(name);
        return ALL.stream().anyMatch(key -> key.name().startsWith(name + "."))
                || FAMILIES.stream().anyMatch(family -> family.isGroup(bare));
    }

    /** True if this may be a user-defined name with keys below it. */
    static boolean isMember(String name) {
        return FAMILIES.stream().anyMatch(family -> family.contains(withoutScheduler(name)));
    }

    private static String withoutScheduler(String name) {
        return name.startsWith("scheduler.") ? name.substring("scheduler.".length()) : name;
    }
}
