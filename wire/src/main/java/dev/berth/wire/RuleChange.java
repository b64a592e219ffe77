package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * Rules to change; absent keys stay unchanged, null restores the default.
 *
 * @param limits as in the configuration: {@code default}, {@code groups}, {@code users}
 * @param users weights by user
 * @param groups weights by group
 */
public record RuleChange(
        @Nullable Long checkTime,
        @Nullable Boolean useAllGpus,
        @Nullable List<Integer> competeGpus,
        @Nullable Long gpuLeft,
        @Nullable Boolean maximizeResourceUtilization,
        @Nullable String foreign,
        @Nullable Long memoryThresholdPercent,
        @Nullable Long assignDelaySeconds,
        @Nullable Long startConfirmTimeoutSeconds,
        @Nullable RetryChange retryConfig,
        @Nullable String workDir,
        @Nullable CommandPolicyChange commandPolicy,
        @Nullable Boolean countOutside,
        @Nullable Map<String, @Nullable Object> limits,
        @Nullable Map<String, @Nullable Object> users,
        @Nullable Map<String, @Nullable Object> groups) {

    /** How a lane task is retried. */
    public record RetryChange(
            @Nullable Long maxRetryBeforeBackoff,
            @Nullable Long backoffDuration,
            @Nullable Long maxRetries) {}

    /** Which commands may be submitted. */
    public record CommandPolicyChange(
            @Nullable List<String> allow, @Nullable List<String> deny, @Nullable String message) {}
}
