package dev.berth.server.api;

import dev.berth.wire.ConfigEntry;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What this server says of itself.
 *
 * @param gpus where its cards come from, as it was told to
 * @param tracking how surely it finds all processes of a task; empty when there is nothing to say
 * @param timeLimits of the tasks it takes in
 * @param config every key with its value
 */
public record About(
        String version,
        Path home,
        Instant startedAt,
        String gpus,
        String tracking,
        TimeLimits timeLimits,
        List<ConfigEntry> config) {

    public About {
        config = List.copyOf(config);
    }
}
