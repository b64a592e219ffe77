package dev.berth.core.forecast;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.WaitReason;

import java.util.Locale;
import java.util.Optional;

/**
 * Why nobody can tell when a waiting task starts.
 *
 * @param because the task that it depends on
 * @param pause why no task starts, if that is the cause
 */
public record UnknownStart(
        Cause cause, Optional<TaskId> because, Optional<WaitReason.Paused> pause) {

    /** What it depends on. */
    public enum Cause {
        /** The forecast is older than the task. */
        NOT_COMPUTED,
        PAUSED,
        /** Even all known GPUs together do not fit. */
        NEVER_POSSIBLE,
        /** A running task without earlier runs holds a GPU that it could use. */
        RUNNING_TASK,
        /** The same, but the task cannot be observed or ended. */
        UNOBSERVED_TASK,
        /** A task before it in the queue has no earlier runs. */
        TASK_AHEAD,
        /** A cluster decides it, and has not said when. */
        CLUSTER,
        /** Too many tasks are ahead, or the start is months away. */
        TOO_FAR;

        public String code() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public UnknownStart(Cause cause) {
        this(cause, Optional.empty(), Optional.empty());
    }

    UnknownStart(Cause cause, TaskId because) {
        this(cause, Optional.of(because), Optional.empty());
    }

    UnknownStart(WaitReason.Paused pause) {
        this(Cause.PAUSED, Optional.empty(), Optional.of(pause));
    }
}
