package dev.berth.config;

import java.util.List;

/** Keys of models and of the workers that keep them loaded. */
final class ModelKeys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;
    private static final long MAX_MIB = 100_000_000;

    static final ConfigKey<Long> HEARTBEAT_INTERVAL =
            ConfigKey.withDefault(
                    "scheduler.worker_heartbeat_interval_seconds",
                    ValueType.wholeNumber(1, DAY),
                    10L,
                    "how often a worker is asked whether it is alive");
    static final ConfigKey<Long> HEARTBEAT_TIMEOUT =
            ConfigKey.withDefault(
                    "scheduler.worker_heartbeat_timeout_seconds",
                    ValueType.wholeNumber(1, DAY),
                    30L,
                    "a worker that has not answered for this time is ended and started again");
    static final ConfigKey<Long> LOAD_TIMEOUT =
            ConfigKey.withDefault(
                    "scheduler.worker_load_timeout_seconds",
                    ValueType.wholeNumber(1, YEAR),
                    900L,
                    "a worker that has not loaded its model by then is ended");
    static final ConfigKey<List<String>> PREWARM =
            ConfigKey.withDefault(
                    "prewarm_models",
                    ValueType.texts(),
                    List.of(),
                    "models that are loaded when the server starts");

    static final List<ConfigKey<?>> ALL =
            List.of(HEARTBEAT_INTERVAL, HEARTBEAT_TIMEOUT, LOAD_TIMEOUT, PREWARM);

    static final KeyFamily<String> WORKER =
            new KeyFamily<>(
                    "models", ".worker", ValueType.text(), "the command that starts a worker");
    static final KeyFamily<Long> MEMORY =
            new KeyFamily<>(
                    "models",
                    ".memory_mb",
                    ValueType.wholeNumber(1, MAX_MIB),
                    "GPU memory that a worker needs, in MB; 4000 if unset");
    static final KeyFamily<Boolean> LOADED_AT_START =
            new KeyFamily<>(
                    "models", ".prewarm", ValueType.flag(), "load it when the server starts");
    static final KeyFamily<List<String>> ENVIRONMENT =
            new KeyFamily<>(
                    "models",
                    ".env",
                    ValueType.texts(),
                    "environment variables of its workers, like A=1");
    static final KeyFamily<String> WORK_DIR =
            new KeyFamily<>(
                    "models",
                    ".work_dir",
                    ValueType.text(),
                    "the directory that its workers start in; the home of Berth, or of run_as, if"
                            + " unset");
    static final KeyFamily<Long> IDLE =
            new KeyFamily<>(
                    "models",
                    ".idle_seconds",
                    ValueType.wholeNumber(1, YEAR),
                    "a worker without work for this time is unloaded; model_cache_ttl_seconds if"
                            + " unset");

    static final KeyFamily<String> RUN_AS =
            new KeyFamily<>(
                    "models",
                    ".run_as",
                    ValueType.text(),
                    "the account that its workers run as; required on the server of a machine");

    static final List<KeyFamily<?>> FAMILIES =
            List.of(WORKER, MEMORY, LOADED_AT_START, ENVIRONMENT, WORK_DIR, IDLE, RUN_AS);

    private ModelKeys() {}
}
