package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/** When a task reached each step; null for a step that it has not reached. */
public record TaskTimes(
        String createdAt,
        @Nullable String queuedAt,
        @Nullable String startedAt,
        @Nullable String finishedAt,
        @Flat ExpectedTimes expected,
        @Flat RunPrediction prediction) {}
