package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A request for a new task.
 *
 * @param gpuType only cards of this exact name; null or {@code any} means any
 * @param gpuCount 1 unless stated, or a range like {@code "2-4"}; 0 only with {@code devices}
 *     {@code cpu}
 * @param minGpu the least it starts with
 * @param maxGpu the most it makes use of
 * @param devices {@code auto} (also when null), {@code cpu}, or cards by number: {@code 0,1}
 * @param memoryGb memory that must be free on each card
 * @param share others that share may be on the same card; needs {@code memory_gb}
 * @param modelName what makes it a model task, with {@code task_type}: its memory is estimated
 * @param timeoutSeconds it is ended when it has run for so long
 * @param lane one after the other with others of this lane: letters, digits and {@code ._-}
 * @param maxRetries how often it is started again after a failure, up to 1000
 * @param draft keep it as pending, until somebody starts or queues it
 * @param priority CRITICAL, HIGH, NORMAL (also when null) or LOW
 * @param workDir absolute directory; the owner's home unless stated
 * @param env added to the server's environment
 * @param owner whom the task is for, where the caller may say so
 */
public record TaskCreate(
        String name,
        String command,
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
        @Nullable Integer timeoutSeconds,
        @Nullable String lane,
        @Nullable Integer maxRetries,
        @Nullable Boolean draft,
        @Nullable String priority,
        @Nullable String workDir,
        @Nullable Map<String, String> env,
        @Nullable String owner) {}
