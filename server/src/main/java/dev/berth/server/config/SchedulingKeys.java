package dev.berth.server.config;

import java.util.List;

/** What decides which task goes first, where it goes, and how long it may take. */
final class SchedulingKeys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;
    private static final long MOST_MIB = 100_000_000;

    static final Key<String> ORDER =
            Key.of(
                    "priority_algorithm",
                    Kind.word("priority", "fair_share", "fifo", "shortest_first"),
                    "priority",
                    "who goes first");
    static final Key<String> BACKFILL =
            Key.of(
                    "backfill",
                    Kind.word("off", "greedy"),
                    "off",
                    "whether tasks may pass a head of their line that waits: never, or whoever"
                            + " fits");
    static final Key<String> SELECTOR =
            Key.of(
                    "gpu_selector",
                    Kind.word("best_score", "balanced", "sampling"),
                    "best_score",
                    "which of the cards that fit is taken");
    static final Key<Long> WAIT_WARN =
            Key.of(
                    "queue_wait_warn_seconds",
                    Kind.whole(1, YEAR),
                    DAY,
                    "a task that waits longer is told of");
    static final Key<Long> CPU_TASKS =
            Key.unset(
                    "max_cpu_tasks",
                    Kind.whole(1, 1_000_000),
                    "tasks without a card that run at a time; no limit if unset");
    static final Key<Long> POLL_MS =
            Key.of(
                    "scheduler.poll_interval_ms",
                    Kind.whole(1, DAY * 1000),
                    100L,
                    "the longest between two passes when nothing happens, in milliseconds");
    static final Key<Double> POLL_SECONDS =
            Key.unset("poll_interval", Kind.number(0.001, DAY), "the same in seconds");
    static final Key<Long> CHECK_SECONDS =
            Key.unset("check_interval_seconds", Kind.whole(1, DAY), "the same in whole seconds");
    static final Key<Long> MARGIN =
            Key.of(
                    "scheduler.memory_safety_margin_mb",
                    Kind.whole(0, MOST_MIB),
                    2000L,
                    "stays free beyond what a model task is estimated to need, in MB");
    static final Key<Long> MODELS =
            Key.of(
                    "scheduler.max_models_per_gpu",
                    Kind.whole(1, 1000),
                    2L,
                    "models that are thought to be loaded on a card");
    static final Key<Long> MODEL_LIFE =
            Key.of(
                    "scheduler.model_cache_ttl_seconds",
                    Kind.whole(1, YEAR),
                    3600L,
                    "a model that nobody has used for so long is no longer on its card");
    static final Key<Long> USUAL_TIMEOUT =
            Key.of(
                    "scheduler.default_task_timeout_seconds",
                    Kind.whole(1, YEAR),
                    3600L,
                    "the time limit of a model task that states none");
    static final Key<Long> MOST_TIMEOUT =
            Key.of(
                    "scheduler.max_task_timeout_seconds",
                    Kind.whole(1, YEAR),
                    DAY,
                    "the longest time limit that a task may state");

    static final List<Key<?>> ALL =
            List.of(
                    ORDER,
                    BACKFILL,
                    SELECTOR,
                    WAIT_WARN,
                    CPU_TASKS,
                    POLL_MS,
                    POLL_SECONDS,
                    CHECK_SECONDS,
                    MARGIN,
                    MODELS,
                    MODEL_LIFE,
                    USUAL_TIMEOUT,
                    MOST_TIMEOUT);

    static final Family<Double> WEIGHT =
            new Family<>(
                    "users",
                    ".weight",
                    Kind.above0(1_000_000),
                    "how much a user counts; 1 unless stated");
    static final Family<Boolean> VIP =
            new Family<>(
                    "users", ".vip", Kind.flag(), "goes before the others of the same priority");
    static final Family<Long> MODEL_MIB =
            new Family<>(
                    "model_memory_estimates",
                    "",
                    Kind.whole(1, MOST_MIB),
                    "what a model takes by itself, in MB; 4000 unless stated");

    static final List<Family<?>> FAMILIES = List.of(WEIGHT, VIP, MODEL_MIB);

    private SchedulingKeys() {}
}
