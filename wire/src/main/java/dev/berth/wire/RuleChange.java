package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Rules to change; absent keys stay unchanged, null restores the default. */
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
        @Nullable CommandPolicyChange commandPolicy) {

    /** How a lane task is retried. */
    public record RetryChange(
            @Nullable Long maxRetryBeforeBackoff,
            @Nullable Long backoffDuration,
            @Nullable Long maxRetries) {}

    /** Which commands may be submitted. */
    public record CommandPolicyChange(
            @Nullable List<String> allow, @Nullable List<String> deny, @Nullable String message) {}
}
