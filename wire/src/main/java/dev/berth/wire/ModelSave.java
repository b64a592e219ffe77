package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A request to add or change a model.
 *
 * @param worker the command that starts a worker
 * @param memoryMb GPU memory that a worker needs; 4000 unless stated
 * @param prewarm load it now and whenever the server starts
 * @param env added to the server's environment; unless stated, a model keeps what it has
 * @param workDir absolute directory; the caller's home unless stated
 * @param idleSeconds a worker without work for this time is unloaded; {@code
 *     model_cache_ttl_seconds} unless stated
 * @param runAs on the server of a machine, for admins: a model of all users, with workers of this
 *     account; without it the model and its workers are the caller's own
 */
public record ModelSave(
        String worker,
        @Nullable Integer memoryMb,
        @Nullable Boolean prewarm,
        @Nullable Map<String, String> env,
        @Nullable String workDir,
        @Nullable Integer idleSeconds,
        @Nullable String runAs) {}
