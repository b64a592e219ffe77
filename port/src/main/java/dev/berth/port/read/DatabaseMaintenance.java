package dev.berth.port.read;

import dev.berth.port.StoreFailure;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The checks and backups of the database. */
public interface DatabaseMaintenance {

    /** The damage that was found since the server started. */
    Optional<String> damage();

    Optional<Backup> lastBackup();

    /** Makes a backup and waits for it. */
    Backup backUp() throws StoreFailure;

    /** A verified copy of the database. */
    record Backup(Path file, Instant at, long bytes) {}
}
