package dev.berth.core.share;

import java.util.Locale;

/** What can be limited. The larger its value, the more a user may do. */
public enum LimitKey {
    /** GPUs that running tasks hold at the same time. */
    MAX_GPUS,
    /** Tasks that run at the same time. */
    MAX_RUNNING,
    /** Tasks that wait at the same time, drafts included. */
    MAX_QUEUED,
    /** The longest time limit of a task, in hours. */
    MAX_HOURS,
    /** The most urgent priority; see {@link Limit#ofPriority}. */
    MAX_PRIORITY,
    /** GPU-hours of the last 24 hours. */
    GPU_HOURS_PER_DAY;

    /** The name in the configuration and in the API. */
    public String configName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
