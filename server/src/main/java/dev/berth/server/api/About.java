package dev.berth.server.api;

import dev.berth.core.plan.Rules;
import dev.berth.wire.ConfigEntry;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What this server says of itself.
 *
 * @param gpus where its cards come from, as it was told to
 * @param tracking how surely it finds all processes of a task; empty when there is nothing to say
 * @param rules by which it gives cards out
 * @param config every key with its value
 */
public record About(
        String version,
        Path home,
        Instant startedAt,
        String gpus,
        String tracking,
        Rules rules,
        List<ConfigEntry> config) {

    public About {
        config = List.copyOf(config);
    }
}
