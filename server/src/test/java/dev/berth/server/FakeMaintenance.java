package dev.berth.server;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A database without damage, whose backups succeed until the test says otherwise. */
public final class FakeMaintenance implements DatabaseMaintenance {

    public volatile Optional<String> damage = Optional.empty();
    public volatile Optional<StoreFailure> failure = Optional.empty();
    private volatile Optional<Backup> last = Optional.empty();

    @Override
    public Optional<String> damage() {
        return damage;
    }

    @Override
    public Optional<Backup> lastBackup() {
        return last;
    }

    @Override
    public Backup backUp() throws StoreFailure {
        if (failure.isPresent()) {
            throw failure.get();
        }
        var made =
                new Backup(
                        Path.of("/home/berth/backups/tasks-20251115-080000.db"),
                        Instant.parse("2025-11-15T08:00:00Z"),
                        4096);
        last = Optional.of(made);
        return made;
    }
}
