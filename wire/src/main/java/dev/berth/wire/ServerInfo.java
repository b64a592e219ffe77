package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Identity of the server; the CLI warns if its own version differs.
 *
 * @param tasks the number of tasks it holds, ended ones included; null from an older server
 * @param endedTasks those of them that could be removed
 * @param mode {@code personal}: all tasks run as the server's user; {@code system}: each task runs
 *     as its owner; null from an older server
 * @param shim the program that starts its tasks, {@code native} or {@code bash}; null from an older
 *     server
 */
public record ServerInfo(
        String version,
        long pid,
        String home,
        String url,
        String startedAt,
        String gpus,
        @Nullable String tracking,
        @OmittedIfNull @Nullable String lastBackupAt,
        @Nullable Long tasks,
        @Nullable Long endedTasks,
        @Nullable Long databaseBytes,
        @Nullable String mode,
        @Nullable String shim) {}
