package dev.berth.server.api;

import dev.berth.server.config.RuleBook;
import dev.berth.server.metrics.Figures;

import java.nio.file.Path;
import java.time.Instant;

/**
 * What this server says of itself.
 *
 * @param gpus where its cards come from, as it was told to
 * @param tracking how surely it finds all processes of a task; empty when there is nothing to say
 * @param timeLimits of the tasks it takes in
 * @param book what is set, as it is now
 * @param figures what it has counted
 */
public record About(
        String version,
        Path home,
        Instant startedAt,
        String gpus,
        String tracking,
        TimeLimits timeLimits,
        RuleBook book,
        Figures figures) {}
