package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A request for a new task.
 *
 * @param command a script; without one, a worker of {@code model_name} runs the task
 * @param gpuType only GPUs of exactly this model name; null or {@code any} means any
 * @param gpuCount 1 unless stated, or a range like {@code "2-4"}; 0 only with {@code devices}
 *     {@code cpu}
 * @param minGpu minimum number of GPUs
 * @param maxGpu maximum number of GPUs
 * @param devices {@code auto} (also when null), {@code cpu}, or GPU indices: {@code 0,1}
 * @param memoryGb memory that must be free on each GPU
 * @param share other sharing tasks may use the same GPU; needs {@code memory_gb}
 * @param timeoutSeconds the task is stopped when it has run this long
 * @param lane the tasks of a lane run one after another: letters, digits and {@code ._-}
 * @param maxRetries maximum number of retries after a failure, up to 1000
 * @param draft keep it pending until a person starts or queues it
 * @param priority CRITICAL, HIGH, NORMAL (also when null) or LOW
 * @param workDir absolute directory; the owner's home unless stated
 * @param env added to the server's environment
 * @param owner owner of the task, if the caller may set it
 * @param shell of the caller, on a server of many users
 */
public record TaskCreate(
        String name,
        @Nullable String command,
        @Nullable String gpuType,
        @Nullable Object gpuCount,
        @Nullable Integer minGpu,
        @Nullable Integer maxGpu,
        @Nullable String devices,
        @Nullable Double memoryGb,
        @Nullable Boolean share,
        @Flat ModelFields model,
        @Nullable Integer timeoutSeconds,
        @Nullable String lane,
        @Nullable Integer maxRetries,
        @Nullable Boolean draft,
        @Nullable String priority,
        @Nullable String workDir,
        @Nullable Map<String, String> env,
        @Nullable String owner,
        @Nullable Shell shell) {

    /**
     * What a model task computes.
     *
     * @param modelName with {@code task_type} it makes a model task, whose memory is estimated
     * @param params without {@code command}, a worker of the model gets these parameters
     */
    public record ModelFields(
            @Nullable String modelName,
            @Nullable String taskType,
            @Nullable Integer structureNAtoms,
            @Nullable Map<String, Object> params) {}
}
