package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A request to change a task that has not started: absent fields stay unchanged, null unsets a
 * field. The fields have the same meaning as in {@link TaskCreate}.
 */
public record TaskChange(
        @Nullable String name,
        @Nullable String command,
        @Nullable String gpuType,
        @Nullable Object gpuCount,
        @Nullable Integer minGpu,
        @Nullable Integer maxGpu,
        @Nullable String devices,
        @Nullable Double memoryGb,
        @Nullable Boolean share,
        @Nullable String modelName,
        @Nullable String taskType,
        @Nullable Integer structureNAtoms,
        @Nullable Map<String, Object> params,
        @Nullable Integer timeoutSeconds,
        @Nullable String priority,
        @Nullable String workDir,
        @Nullable Map<String, String> env) {}
