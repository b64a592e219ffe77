package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** One start of a task. */
public record AttemptInfo(
        int number,
        String node,
        String phase,
        List<Integer> gpus,
        @Nullable Long pid,
        String grantedAt,
        @Nullable String startedAt,
        @Nullable String endedAt,
        @Nullable Integer exitCode,
        @Nullable String error) {}
