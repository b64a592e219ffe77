package dev.berth.server.api;

import java.nio.file.Path;
import java.time.Instant;

/**
 * What this server says of itself.
 *
 * @param gpus where its cards come from, as it was told to
 * @param tracking how surely it finds all processes of a task; empty when there is nothing to say
 * @param busyPercent memory use from which a card counts as busy
 */
public record About(
        String version,
        Path home,
        Instant startedAt,
        String gpus,
        String tracking,
        int busyPercent) {}
