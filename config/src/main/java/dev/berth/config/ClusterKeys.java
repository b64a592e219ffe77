package dev.berth.config;

import java.util.List;

/** Keys of a cluster below Berth. */
final class ClusterKeys {

    static final ConfigKey<String> ENGINE =
            ConfigKey.withDefault(
                    "engine",
                    ValueType.word("local", "slurm"),
                    "local",
                    "what runs the tasks: this machine, or the Slurm cluster that it belongs to");
    static final ConfigKey<String> SHARED_DIR =
            ConfigKey.withoutDefault(
                    "slurm.shared_dir",
                    ValueType.text(),
                    "a directory that all nodes share, for the tasks' folders; runtime_dir if"
                            + " unset");
    static final ConfigKey<Long> WINDOW =
            ConfigKey.withoutDefault(
                    "slurm.window",
                    ValueType.wholeNumber(1, 100_000),
                    "tasks of one user that are in Slurm at the same time; twice the cluster's GPUs"
                            + " if unset");
    static final ConfigKey<String> PARTITION =
            ConfigKey.withoutDefault(
                    "slurm.partition", ValueType.text(), "the partition of every job");
    static final ConfigKey<String> ACCOUNT =
            ConfigKey.withoutDefault("slurm.account", ValueType.text(), "the account of every job");
    static final ConfigKey<String> QOS =
            ConfigKey.withoutDefault(
                    "slurm.qos", ValueType.text(), "the quality of service of every job");
    static final ConfigKey<List<String>> OPTIONS =
            ConfigKey.withDefault(
                    "slurm.options",
                    ValueType.texts(),
                    List.of(),
                    "further options of sbatch for every job");
    static final ConfigKey<List<String>> GPU_TYPES =
            ConfigKey.withDefault(
                    "slurm.gpu_types",
                    ValueType.texts(),
                    List.of(),
                    "the memory of each GPU type of gres.conf in GB, such as a100:80; needed for"
                            + " tasks that state memory");
    static final ConfigKey<Boolean> HEAL =
            ConfigKey.withDefault(
                    "slurm.heal",
                    ValueType.flag(),
                    false,
                    "mend what Slurm has wrong, with the rights of a Slurm operator");

    static final List<ConfigKey<?>> ALL =
            List.of(ENGINE, SHARED_DIR, WINDOW, PARTITION, ACCOUNT, QOS, OPTIONS, GPU_TYPES, HEAL);

    private ClusterKeys() {}
}
