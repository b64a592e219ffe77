package dev.berth.nodeprocess;

import dev.berth.core.plan.SchedulingRules;
import dev.berth.node.AccountRules;
import dev.berth.node.LocalNode.NodeSettings;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.shim.ShimChoice;
import dev.berth.node.window.TmuxWindows.WindowMode;
import dev.berth.node.window.TmuxWindows.WindowSettings;
import dev.berth.node.worker.WorkerSettings;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The configuration of a node that runs as root. All that decides what root executes is in this
 * file, and nothing of it comes from the server.
 *
 * @param serverUser the account of the server
 * @param pamService checks passwords of users who log in; empty if nobody does
 */
public record NodeConfig(
        AccountRules accounts,
        String serverUser,
        Optional<String> pamService,
        GpuSource gpus,
        NodeConfigFile file) {

    /** The keys of the file; the same names as in the server's configuration. */
    public static final SortedSet<String> KEYS =
            Collections.unmodifiableSortedSet(
                    new TreeSet<>(
                            List.of(
                                    "min_uid",
                                    "group",
                                    "denied",
                                    "server_user",
                                    "pam_service",
                                    "gpu_probe",
                                    "nvidia_smi_path",
                                    "nvml_path",
                                    "gpu_test_command",
                                    "gpu_recovery_seconds",
                                    "kernel_log_path",
                                    "runner",
                                    "shim",
                                    "tmux_path",
                                    "conda_init_script",
                                    "extra_path",
                                    "stop_grace_seconds",
                                    "log_cap_mib",
                                    "stall_minutes",
                                    "worker_heartbeat_interval_seconds",
                                    "worker_heartbeat_timeout_seconds",
                                    "worker_load_seconds")));

    private static final long DAY = 24 * 60 * 60;

    /**
     * @param gpus instead of the file's {@code gpu_probe}
     */
    public static NodeConfig read(Path path, Optional<GpuSource> gpus)
            throws InvalidNodeConfig, IOException {
        var file = NodeConfigFile.read(path);
        for (var key : file.values().keySet()) {
            if (!KEYS.contains(key)) {
                throw new InvalidNodeConfig(
                        "%s: %s is not a key of this file. Its keys are %s."
                                .formatted(path, key, String.join(", ", KEYS)));
            }
        }
        var reader = new Values(file);
        var accounts =
                new AccountRules(
                        (int)
                                reader.number(
                                        "min_uid",
                                        1,
                                        Integer.MAX_VALUE,
                                        AccountRules.DEFAULT_MIN_UID),
                        reader.text("group"),
                        new TreeSet<>(reader.words("denied", ",")));
        var source = gpus.isPresent() ? gpus.get() : reader.gpuSource();
        var config =
                new NodeConfig(
                        accounts,
                        reader.text("server_user").orElse("berth"),
                        reader.text("pam_service"),
                        source,
                        file);
        var _ = config.settings("", Path.of("/"));
        return config;
    }

    /** The account of the server may be chosen on the command line, too. */
    public NodeConfig withServerUser(String other) {
        return new NodeConfig(accounts, other, pamService, gpus, file);
    }

    /**
     * @param name of this node
     * @param tasks the directory that contains the task directories
     */
    NodeSettings settings(String name, Path tasks) throws InvalidNodeConfig {
        var values = new Values(file);
        var grace = values.seconds("stop_grace_seconds", 0, DAY, 10);
        long logCapMib = values.number("log_cap_mib", 4, 1 << 20, 1024);
        return new NodeSettings(
                name,
                tasks,
                new GpuSettings(
                        gpus,
                        values.path("nvidia_smi_path"),
                        values.path("nvml_path"),
                        SchedulingRules.DEFAULT,
                        new GpuSettings.FaultHandling(
                                values.seconds("gpu_recovery_seconds", 1, 3600, 30),
                                values.text("gpu_test_command"),
                                values.path("kernel_log_path").orElse(Path.of("/dev/kmsg")))),
                grace,
                logCapMib,
                new CommandSettings(
                        values.words("extra_path", ":").stream().map(Path::of).toList(),
                        values.path("conda_init_script"),
                        values.shim()),
                new WindowSettings(values.windowMode(), values.path("tmux_path")),
                Duration.ofMinutes(values.number("stall_minutes", 0, 365 * 24 * 60, 10)),
                new WorkerSettings(
                        values.seconds("worker_heartbeat_interval_seconds", 1, DAY, 10),
                        values.seconds("worker_heartbeat_timeout_seconds", 1, DAY, 30),
                        values.seconds("worker_load_seconds", 1, DAY, 900),
                        grace,
                        logCapMib << 20),
                Optional.of(accounts.withServerUser(serverUser)));
    }

    /** Reads values; an invalid one is reported with its key. */
    private record Values(NodeConfigFile file) {

        Optional<String> text(String key) {
            return Optional.ofNullable(file.values().get(key)).filter(value -> !value.isEmpty());
        }

        List<String> words(String key, String separator) {
            return text(key).stream()
                    .flatMap(value -> Arrays.stream(value.split(separator, -1)))
                    .map(String::strip)
                    .filter(word -> !word.isEmpty())
                    .collect(Collectors.toList());
        }

        long number(String key, long min, long max, long otherwise) throws InvalidNodeConfig {
            var value = text(key);
            if (value.isEmpty()) {
                return otherwise;
            }
            try {
                long number = Long.parseLong(value.get());
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException notANumber) {
                throw invalid(key, "is a whole number, not \"" + value.get() + "\"");
            }
            throw invalid(key, "is from " + min + " to " + max);
        }

        Duration seconds(String key, long min, long max, long otherwise) throws InvalidNodeConfig {
            return Duration.ofSeconds(number(key, min, max, otherwise));
        }

        Optional<Path> path(String key) throws InvalidNodeConfig {
            var path = text(key).map(Path::of);
            if (path.isPresent() && !path.get().isAbsolute()) {
                throw invalid(key, "is an absolute path");
            }
            return path;
        }

        WindowMode windowMode() throws InvalidNodeConfig {
            return switch (text("runner").orElse("auto")) {
                case "auto" -> WindowMode.IF_AVAILABLE;
                case "tmux" -> WindowMode.ALWAYS;
                case "detached" -> WindowMode.NEVER;
                default -> throw invalid("runner", "is auto, tmux or detached");
            };
        }

        ShimChoice shim() throws InvalidNodeConfig {
            return switch (text("shim").orElse("auto")) {
                case "auto" -> ShimChoice.AUTO;
                case "native" -> ShimChoice.NATIVE;
                case "bash" -> ShimChoice.BASH;
                default -> throw invalid("shim", "is auto, native or bash");
            };
        }

        GpuSource gpuSource() throws InvalidNodeConfig {
            try {
                return GpuSource.parse(text("gpu_probe").orElse("auto"));
            } catch (IllegalArgumentException unknown) {
                throw invalid("gpu_probe", "is auto, nvml, nvidia-smi, sim or none");
            }
        }

        private InvalidNodeConfig invalid(String key, String rule) {
            return new InvalidNodeConfig("%s: %s %s.".formatted(file.file(), key, rule));
        }
    }
}
