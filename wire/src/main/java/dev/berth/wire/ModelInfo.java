package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A model whose workers keep it loaded.
 *
 * @param worker the command that starts a worker
 * @param memoryMb GPU memory of a worker, as estimated now
 * @param prewarm a worker is loaded when the server starts
 * @param env the names of the environment variables of its workers
 * @param idleSeconds a worker without work for this time is unloaded
 * @param configured it is in the configuration, and can be changed only there
 * @param setAside why no worker is started until the model is changed
 * @param failedTaskId the task of the worker that failed last; its log is the log of the worker
 * @param hits tasks that found it loaded, since the server started
 * @param misses tasks that waited until it was loaded
 * @param evictions workers that were ended because other tasks needed their GPU
 * @param loadSeconds how long the last load took
 * @param runSeconds mean time of its tasks; the last ones count most
 * @param owner only this user's tasks may use it; null for a model of all users
 * @param runAs the account that its workers run as; null in a home of one user
 */
public record ModelInfo(
        String name,
        String worker,
        long memoryMb,
        boolean prewarm,
        List<String> env,
        String workDir,
        long idleSeconds,
        boolean configured,
        @Nullable String setAside,
        @Nullable Long failedTaskId,
        long hits,
        long misses,
        long evictions,
        @Nullable Double loadSeconds,
        @Nullable Double runSeconds,
        List<ModelWorker> workers,
        @Nullable String owner,
        @Nullable String runAs) {}
