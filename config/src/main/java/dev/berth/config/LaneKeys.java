package dev.berth.config;

import java.util.List;
import java.util.stream.IntStream;

/** Keys of lanes and of the files of earlier systems. */
final class LaneKeys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;

    static final ConfigKey<Long> CHECK_TIME =
            ConfigKey.withDefault(
                    "check_time",
                    ValueType.wholeNumber(1, DAY),
                    5L,
                    "the minimum seconds between two statuses of a run in its log");
    static final ConfigKey<Boolean> SHARE_GPUS =
            ConfigKey.withDefault(
                    "maximize_resource_utilization",
                    ValueType.flag(),
                    false,
                    "lane tasks share a GPU if memory fits");
    static final ConfigKey<List<Integer>> COMPETE_GPUS =
            ConfigKey.withDefault(
                    "compete_gpus",
                    ValueType.gpuIndexes(),
                    IntStream.range(0, 10).boxed().toList(),
                    "the GPUs of lanes if use_all_gpus is false");
    static final ConfigKey<Boolean> USE_ALL_GPUS =
            ConfigKey.withDefault("use_all_gpus", ValueType.flag(), true, "lanes use all GPUs");
    static final ConfigKey<Long> GPUS_LEFT =
            ConfigKey.withDefault(
                    "gpu_left",
                    ValueType.wholeNumber(0, 9999),
                    1L,
                    "number of GPUs, from the end of the list, that lanes leave to others");
    static final ConfigKey<Long> RETRIES_BEFORE_BACKOFF =
            ConfigKey.withDefault(
                    "retry_config.max_retry_before_backoff",
                    ValueType.wholeNumber(1, 1_000_000),
                    3L,
                    "number of retries of a lane task before a backoff");
    static final ConfigKey<Long> BACKOFF =
            ConfigKey.withDefault(
                    "retry_config.backoff_duration",
                    ValueType.wholeNumber(0, YEAR),
                    600L,
                    "the length of the backoff in seconds");
    static final ConfigKey<Long> MAX_RETRIES =
            ConfigKey.withoutDefault(
                    "retry_config.max_retries",
                    ValueType.wholeNumber(0, 1_000_000),
                    "maximum number of retries of a lane task; no limit if unset");
    static final ConfigKey<Long> ASSIGN_DELAY =
            ConfigKey.withDefault(
                    "assign_delay_seconds",
                    ValueType.wholeNumber(0, DAY),
                    0L,
                    "seconds between two starts of one run");
    static final ConfigKey<Long> START_CONFIRM_LIMIT =
            ConfigKey.withDefault(
                    "start_confirm_timeout_seconds",
                    ValueType.wholeNumber(1, DAY),
                    60L,
                    "seconds within which a start of a lane task must be confirmed");
    static final ConfigKey<String> WORK_DIR =
            ConfigKey.withoutDefault(
                    "work_dir",
                    ValueType.text(),
                    "the working directory of lane tasks; if unset, the parent directory of the"
                            + " home, and for a file outside the home the directory of berth run");
    static final ConfigKey<String> LOG_DIR =
            ConfigKey.withDefault(
                    "log_dir",
                    ValueType.text(),
                    "./logs",
                    "the logs of runs; their states stay in logs/state");
    static final ConfigKey<List<String>> LOG_ROOTS =
            ConfigKey.withDefault(
                    "log_roots",
                    ValueType.texts(),
                    List.of(),
                    "other directories whose logs may be read in the console");
    static final ConfigKey<String> PROCESS_JSON =
            ConfigKey.withDefault(
                    "process_json_path",
                    ValueType.text(),
                    "./logs/uni_id.json",
                    "the records of lane tasks that outside scripts read and write");
    static final ConfigKey<String> COMMANDS_PATH =
            ConfigKey.withDefault(
                    "commands_path",
                    ValueType.text(),
                    "./command.txt",
                    "the command file if command/command_gpu.txt does not exist");
    static final ConfigKey<String> CONFIG_PATH =
            ConfigKey.withDefault(
                    "config_path",
                    ValueType.text(),
                    "./config.yaml",
                    "the file with the keys of lanes; set in config/berth.yaml or the environment");
    static final ConfigKey<String> DB_PATH =
            ConfigKey.withoutDefault(
                    "db_path",
                    ValueType.text(),
                    "the database; tasks.db in the runtime folder if unset");
    static final ConfigKey<String> RUNTIME_DIR =
            ConfigKey.withDefault(
                    "runtime_dir", ValueType.text(), "./runtime", "the tasks' folders, in tasks/");

    static final List<ConfigKey<?>> ALL =
            List.of(
                    CHECK_TIME,
                    USE_ALL_GPUS,
                    COMPETE_GPUS,
                    GPUS_LEFT,
                    SHARE_GPUS,
                    RETRIES_BEFORE_BACKOFF,
                    BACKOFF,
                    MAX_RETRIES,
                    ASSIGN_DELAY,
                    START_CONFIRM_LIMIT,
                    WORK_DIR,
                    COMMANDS_PATH,
                    LOG_DIR,
                    LOG_ROOTS,
                    PROCESS_JSON,
                    CONFIG_PATH,
                    DB_PATH,
                    RUNTIME_DIR);

    private LaneKeys() {}
}
