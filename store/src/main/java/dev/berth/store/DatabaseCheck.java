package dev.berth.store;

import dev.berth.port.StoreFailure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

/** Checks a database on a read-only connection before anything is written to it. */
final class DatabaseCheck {

    /**
     * Older versions can corrupt a database in WAL mode when two connections reset the log at the
     * same time.
     */
    private static final int[] OLDEST_SQLITE = {3, 51, 3};

    private final Path file;

    DatabaseCheck(Path file) {
        this.file = file;
    }

    /** The schema version of the database, which is not damaged and has passed the check. */
    int checkedVersion(Database.StartCheck check)
            throws HomeRefused, StoreFailure, SQLException, IOException {
        if (Files.size(file) == 0) {
            throw damaged(file, Migrations.CURRENT, "it is empty");
        }
        try (var connection = Database.reader(file)) {
            int version = knownVersion(connection);
            var found = queryText(connection, "PRAGMA quick_check(1)");
            if (!found.equals("ok")) {
                throw damaged(file, version, found);
            }
            check.check(Optional.of(new StoredState(file, connection, version)));
            return version;
        }
    }

    /** The schema version, which this build knows. */
    int knownVersion(Connection connection) throws HomeRefused, SQLException {
        requireSafeSqlite(queryText(connection, "SELECT sqlite_version()"));
        int version = Integer.parseInt(queryText(connection, "PRAGMA user_version"));
        requireKnown(version);
        return version;
    }

    private void requireKnown(int version) throws HomeRefused {
        if (version > Migrations.CURRENT) {
            throw new HomeRefused(
                    """
                    The database %s has schema version %d, and this build of Berth knows versions up to %d.
                    A newer Berth has used this home: start that one. Nothing was changed.\
                    """
                            .formatted(file, version, Migrations.CURRENT));
        }
        if (version < 1) {
            throw new HomeRefused(
                    """
                    The database %s was not made by Berth: its schema version is %d.
                    Move it away or choose another home. Nothing was changed.\
                    """
                            .formatted(file, version));
        }
    }

    static void requireSafeSqlite(String sqlite) {
        int[] parts = Arrays.stream(sqlite.split("\\.")).mapToInt(Integer::parseInt).toArray();
        if (Arrays.compare(parts, OLDEST_SQLITE) < 0) {
            throw new IllegalStateException(
                    "SQLite " + sqlite + " can destroy a database in WAL mode; 3.51.3 cannot");
        }
    }

    /**
     * @param version the schema version, or this build's if it cannot be read
     */
    static HomeRefused damaged(Path file, int version, String what) {
        return new HomeRefused(
                """
                The database FILE is damaged: WHAT
                Berth does not start on it, and left it as it is.
                To go back to a backup: berth recover --from BACKUP
                To restore:
                  1. Move FILE and, where they are, FILE-wal and FILE-shm together into another directory.
                  2. Restore a backup with `berth recover --from BACKUP`, or save what can still be read there:
                     (sqlite3 tasks.db .dump | sed 's/^ROLLBACK.*/COMMIT;/'; echo 'PRAGMA user_version=VERSION;') | sqlite3 FILE
                  3. Start Berth again.\
                """
                        .replace("tasks.db", file.getFileName().toString())
                        .replace("VERSION", Integer.toString(version))
                        .replace("FILE", file.toString())
                        .replace("WHAT", what));
    }

    static String queryText(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            return result.next() ? String.valueOf(result.getString(1)) : "";
        }
    }
}
