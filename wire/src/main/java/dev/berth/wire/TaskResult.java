package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * How the latest attempt of a task ended.
 *
 * @param errorType oom, runtime_error, start_timeout, …
 */
public record TaskResult(
        @Nullable Integer exitCode, @Nullable String error, @Nullable String errorType) {}
