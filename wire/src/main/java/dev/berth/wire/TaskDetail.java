package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One task with all fields.
 *
 * @param command empty if a worker of its model runs it
 * @param env the names of its environment variables
 */
public record TaskDetail(
        long id,
        String name,
        String command,
        @Flat TaskHeader header,
        String workDir,
        @Flat GpuRequest gpuRequest,
        int minGpu,
        @Flat GpuLimits gpuLimits,
        @Flat Model model,
        @Flat Call call,
        @Nullable Integer timeoutSeconds,
        @Flat TaskLane lane,
        @Flat TaskTimes times,
        @Nullable List<Integer> assignedGpus,
        @Flat Output output,
        @Flat TaskResult result,
        List<String> env,
        @Flat QueuePlace queuePlace,
        @Flat Findings findings,
        List<AttemptInfo> attempts) {

    /** The model that the task computes with; null throughout if it stated none. */
    public record Model(
            @Nullable String modelName,
            @Nullable String taskType,
            @Nullable Integer structureNAtoms) {}

    /**
     * What a worker is asked to do; null throughout for a task with a command.
     *
     * @param params an object
     * @param result what the worker answered, once the task has completed
     */
    public record Call(@Nullable Object params, @Nullable Object result) {
        public static final Call NONE = new Call(null, null);
    }

    /** Where the output of the latest attempt can be seen; null before the first attempt. */
    public record Output(@Nullable String tmuxSession, @Nullable String logPath) {}

    /** The place of a waiting task in its queue. */
    public record QueuePlace(
            @Nullable Integer position, @Nullable Double score, List<Reason> waitReasons) {

        public static final QueuePlace NONE = new QueuePlace(null, null, List.of());
    }

    /**
     * What the latest attempt's log and measurements show.
     *
     * @param progress while it runs and prints progress
     * @param diagnosis present if it failed and its log shows why
     */
    public record Findings(
            @Nullable TaskProgress progress,
            @Nullable TaskDiagnosis diagnosis,
            @Nullable TaskUsage usage) {}
}
