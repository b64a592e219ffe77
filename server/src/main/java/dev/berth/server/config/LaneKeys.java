package dev.berth.server.config;

import java.util.List;
import java.util.stream.IntStream;

/** What lanes and the files of earlier systems are ruled by. */
final class LaneKeys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;

    static final Key<Long> CHECK_TIME =
            Key.of(
                    "check_time",
                    Kind.whole(1, DAY),
                    5L,
                    "seconds between two statuses of a run in its log");
    static final Key<Boolean> EXTREME =
            Key.of(
                    "maximize_resource_utilization",
                    Kind.flag(),
                    false,
                    "lane tasks share a card where memory fits");
    static final Key<List<Integer>> COMPETE =
            Key.of(
                    "compete_gpus",
                    Kind.indices(),
                    IntStream.range(0, 10).boxed().toList(),
                    "the lanes' cards, where use_all_gpus is false");
    static final Key<Boolean> USE_ALL =
            Key.of("use_all_gpus", Kind.flag(), true, "lanes use every card there is");
    static final Key<Long> LEFT =
            Key.of(
                    "gpu_left",
                    Kind.whole(0, 9999),
                    1L,
                    "cards, the last of the list, that lanes leave to others");
    static final Key<Long> RETRIES_AT_ONCE =
            Key.of(
                    "retry_config.max_retry_before_backoff",
                    Kind.whole(1, 1_000_000),
                    3L,
                    "retries of a lane task after which it rests");
    static final Key<Long> REST =
            Key.of(
                    "retry_config.backoff_duration",
                    Kind.whole(0, YEAR),
                    600L,
                    "seconds that it rests");
    static final Key<Long> MOST_RETRIES =
            Key.unset(
                    "retry_config.max_retries",
                    Kind.whole(0, 1_000_000),
                    "retries after which a lane task has failed; no end if unset");
    static final Key<Long> ASSIGN_DELAY =
            Key.of(
                    "assign_delay_seconds",
                    Kind.whole(0, DAY),
                    0L,
                    "seconds between two starts of one run");
    static final Key<Long> CONFIRM =
            Key.of(
                    "start_confirm_timeout_seconds",
                    Kind.whole(1, DAY),
                    60L,
                    "seconds within which a start of a lane task must be confirmed");
    static final Key<String> WORK_DIR =
            Key.unset(
                    "work_dir",
                    Kind.text(),
                    "where lane tasks run; the directory that the home is in if unset");
    static final Key<String> LOG_DIR =
            Key.of(
                    "log_dir",
                    Kind.text(),
                    "./logs",
                    "the logs of runs; their states stay in logs/state");
    static final Key<List<String>> LOG_ROOTS =
            Key.of(
                    "log_roots",
                    Kind.texts(),
                    List.of(),
                    "other directories whose logs may be read in the console");
    static final Key<String> PROCESS_JSON =
            Key.of(
                    "process_json_path",
                    Kind.text(),
                    "./logs/uni_id.json",
                    "the records of lane tasks that outside scripts read and write");
    static final Key<String> COMMANDS =
            Key.of(
                    "commands_path",
                    Kind.text(),
                    "./command.txt",
                    "the command file where there is no command/command_gpu.txt");
    static final Key<String> CONFIG_PATH =
            Key.of(
                    "config_path",
                    Kind.text(),
                    "./config.yaml",
                    "the file of the lanes' keys; itself in config/berth.yaml or the environment");
    static final Key<String> DB_PATH =
            Key.unset(
                    "db_path",
                    Kind.text(),
                    "the database; tasks.db in the runtime folder if unset");
    static final Key<String> RUNTIME_DIR =
            Key.of("runtime_dir", Kind.text(), "./runtime", "the tasks' folders, in tasks/");

    static final List<Key<?>> ALL =
            List.of(
                    CHECK_TIME,
                    USE_ALL,
                    COMPETE,
                    LEFT,
                    EXTREME,
                    RETRIES_AT_ONCE,
                    REST,
                    MOST_RETRIES,
                    ASSIGN_DELAY,
                    CONFIRM,
                    WORK_DIR,
                    COMMANDS,
                    LOG_DIR,
                    LOG_ROOTS,
                    PROCESS_JSON,
                    CONFIG_PATH,
                    DB_PATH,
                    RUNTIME_DIR);

    private LaneKeys() {}
}
