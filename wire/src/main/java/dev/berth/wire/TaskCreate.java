package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A request for a new task.
 *
 * @param gpuType only cards of this exact name; null or {@code any} means any
 * @param gpuCount 1 unless stated; 0 only with {@code devices} {@code cpu}
 * @param devices {@code auto} (also when null) or {@code cpu}
 * @param memoryGb memory that must be free on each card
 * @param priority CRITICAL, HIGH, NORMAL (also when null) or LOW
 * @param workDir absolute directory; the owner's home unless stated
 * @param env added to the server's environment
 * @param owner whom the task is for, where the caller may say so
 */
public record TaskCreate(
        String name,
        String command,
        @Nullable String gpuType,
        @Nullable Integer gpuCount,
        @Nullable String devices,
        @Nullable Double memoryGb,
        @Nullable String priority,
        @Nullable String workDir,
        @Nullable Map<String, String> env,
        @Nullable String owner) {}
