package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Changes for another run of a task; absent fields stay unchanged. The fields have the same meaning
 * as in {@link TaskCreate}; {@code env} is added to the environment of the task.
 */
public record TaskAgain(
        @Nullable String name,
        @Nullable Double memoryGb,
        @Nullable Integer timeoutSeconds,
        @Nullable Map<String, String> env) {}
