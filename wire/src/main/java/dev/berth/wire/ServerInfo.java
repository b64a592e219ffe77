package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/** Identity of the server; the CLI warns if its own version differs. */
public record ServerInfo(
        String version,
        long pid,
        String home,
        String url,
        String startedAt,
        String gpus,
        @Nullable String tracking) {}
