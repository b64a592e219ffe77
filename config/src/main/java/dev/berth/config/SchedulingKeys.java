package dev.berth.config;

import java.util.List;

/** Keys of queue order, placement and time limits. */
final class SchedulingKeys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;
    private static final long MAX_MIB = 100_000_000;

    static final ConfigKey<String> ORDER =
            ConfigKey.withDefault(
                    "priority_algorithm",
                    ValueType.word(
                            "priority", "fair_share", "fifo", "shortest_first", "smallest_first"),
                    "priority",
                    "the order of waiting tasks");
    static final ConfigKey<String> BACKFILL =
            ConfigKey.withDefault(
                    "backfill",
                    ValueType.word("safe", "off", "greedy"),
                    "safe",
                    "which tasks may start before a blocked task: those that do not delay it, none"
                            + " of its queue, or any that fits");
    static final ConfigKey<String> SELECTOR =
            ConfigKey.withDefault(
                    "gpu_selector",
                    ValueType.word("best_score", "balanced", "sampling"),
                    "best_score",
                    "which of the suitable GPUs a task gets");
    static final ConfigKey<Long> LONG_WAIT =
            ConfigKey.withDefault(
                    "queue_wait_warn_seconds",
                    ValueType.wholeNumber(1, YEAR),
                    DAY,
                    "raise an alert if a task waits longer");
    static final ConfigKey<Long> CPU_TASKS =
            ConfigKey.withoutDefault(
                    "max_cpu_tasks",
                    ValueType.wholeNumber(1, 1_000_000),
                    "maximum number of running tasks without a GPU; no limit if unset");
    static final ConfigKey<Long> POLL_MS =
            ConfigKey.withDefault(
                    "scheduler.poll_interval_ms",
                    ValueType.wholeNumber(1, DAY * 1000),
                    100L,
                    "maximum time between two scheduling passes, in milliseconds");
    static final ConfigKey<Double> POLL_SECONDS =
            ConfigKey.withoutDefault(
                    "poll_interval", ValueType.number(0.001, DAY), "the same in seconds");
    static final ConfigKey<Long> CHECK_SECONDS =
            ConfigKey.withoutDefault(
                    "check_interval_seconds",
                    ValueType.wholeNumber(1, DAY),
                    "the same in whole seconds");
    static final ConfigKey<Long> MEMORY_MARGIN =
            ConfigKey.withDefault(
                    "scheduler.memory_safety_margin_mb",
                    ValueType.wholeNumber(0, MAX_MIB),
                    2000L,
                    "memory that stays free beside the estimate of a model task, in MB");
    static final ConfigKey<Long> MODELS_PER_GPU =
            ConfigKey.withDefault(
                    "scheduler.max_models_per_gpu",
                    ValueType.wholeNumber(1, 1000),
                    2L,
                    "maximum number of models that count as loaded on a GPU");
    static final ConfigKey<Long> MODEL_LIFE =
            ConfigKey.withDefault(
                    "scheduler.model_cache_ttl_seconds",
                    ValueType.wholeNumber(1, YEAR),
                    3600L,
                    "a model that was not used for this time counts as unloaded");
    static final ConfigKey<String> AFFINITY_WAIT =
            ConfigKey.withDefault(
                    "scheduler.affinity_wait",
                    ValueType.word("off", "auto"),
                    "off",
                    "whether a model task waits for a worker at work where that is faster than to"
                            + " load the model on another GPU");
    static final ConfigKey<Long> DEFAULT_TIMEOUT =
            ConfigKey.withDefault(
                    "scheduler.default_task_timeout_seconds",
                    ValueType.wholeNumber(1, YEAR),
                    3600L,
                    "the time limit of a model task without one");
    static final ConfigKey<Long> MAX_TIMEOUT =
            ConfigKey.withDefault(
                    "scheduler.max_task_timeout_seconds",
                    ValueType.wholeNumber(1, YEAR),
                    30 * DAY,
                    "the longest time limit of a task");

    static final List<ConfigKey<?>> ALL =
            List.of(
                    ORDER,
                    BACKFILL,
                    SELECTOR,
                    LONG_WAIT,
                    CPU_TASKS,
                    POLL_MS,
                    POLL_SECONDS,
                    CHECK_SECONDS,
                    MEMORY_MARGIN,
                    MODELS_PER_GPU,
                    MODEL_LIFE,
                    AFFINITY_WAIT,
                    DEFAULT_TIMEOUT,
                    MAX_TIMEOUT);

    static final KeyFamily<Long> MODEL_MIB =
            new KeyFamily<>(
                    "model_memory_estimates",
                    "",
                    ValueType.wholeNumber(1, MAX_MIB),
                    "the memory of a model without its work, in MB; 4000 if unset");

    static final List<KeyFamily<?>> FAMILIES = List.of(MODEL_MIB);

    private SchedulingKeys() {}
}
