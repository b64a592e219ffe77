package dev.berth.server.api.server;

import java.nio.file.Path;
import java.time.Instant;

/**
 * What the server reports about itself.
 *
 * @param gpus the configured source of its GPUs
 * @param tracking how reliably it finds all processes of a task; empty if there is nothing to
 *     report
 * @param mode {@code personal}, or {@code system} if each task runs as its owner
 * @param shim the program that starts tasks
 */
public record ServerDetails(
        String version,
        Path home,
        Instant startedAt,
        String gpus,
        String tracking,
        String mode,
        String shim) {}
