package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * What is to be different when a task is run again; what is left out stays. The words mean what
 * they mean in {@link TaskCreate}, and {@code env} is added to what the task has.
 */
public record TaskAgain(
        @Nullable String name,
        @Nullable Double memoryGb,
        @Nullable Integer timeoutSeconds,
        @Nullable Map<String, String> env) {}
