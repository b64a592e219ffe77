package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * How the latest attempt of a task ended.
 *
 * @param errorType oom, runtime_error, start_timeout, …
 */
public record TaskResult(
        @Nullable Integer exitCode, @Nullable String error, @Nullable String errorType) {

    /** For users who may not see how the task ended. */
    public static final TaskResult HIDDEN = new TaskResult(null, null, null);
}
