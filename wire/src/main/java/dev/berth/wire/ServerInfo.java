package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/** Who answers here; the CLI says so when its own version differs. */
public record ServerInfo(
        String version,
        long pid,
        String home,
        String url,
        String startedAt,
        String gpus,
        @Nullable String tracking) {}
