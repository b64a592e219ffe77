package dev.berth.store;

import dev.berth.port.StoreFailure;

import org.sqlite.SQLiteConfig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The SQLite file of the history, separate from that of the tasks. It is not synced at every
 * commit: a power failure may lose the last minutes, but never more.
 */
final class HistoryFile implements ReaderPool.SessionSource {

    private static final int VERSION = 1;
    private static final int WAL_LIMIT_BYTES = 8 * 1024 * 1024;

    private final Path file;

    private HistoryFile(Path file) {
        this.file = file;
    }

    /**
     * Creates the file if it does not exist.
     *
     * @throws StoreFailure also if the file is damaged or was not made by Berth; it is not changed
     */
    static HistoryFile open(Path path) throws StoreFailure {
        var history = new HistoryFile(path.toAbsolutePath());
        NativeLibrary.unpackTo(history.file.resolveSibling("lib"));
        try {
            if (Files.exists(history.file)) {
                // A writing connection would change a file that is not Berth's.
                try (var connection = Database.reader(history.file)) {
                    history.require(connection);
                }
            } else {
                // SQLite gives its log and shared memory the mode of the file.
                Files.createFile(
                        history.file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
            }
            try (var connection = history.writer()) {
                prepare(connection);
            }
            return history;
        } catch (SQLException e) {
            throw history.failure("open the history", e);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot make " + history.file + ": " + e, e);
        }
    }

    private void require(Connection connection) throws SQLException, StoreFailure {
        int version = version(connection);
        var tables = DatabaseCheck.queryText(connection, "SELECT count(*) FROM sqlite_schema");
        if (version != VERSION && !(version == 0 && tables.equals("0"))) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE,
                    "%s was made by something else than this build of Berth (version %d, not %d)"
                            .formatted(file, version, VERSION));
        }
    }

    private static int version(Connection connection) throws SQLException {
        return Integer.parseInt(DatabaseCheck.queryText(connection, "PRAGMA user_version"));
    }

    private static void prepare(Connection connection) throws SQLException {
        if (version(connection) == VERSION) {
            return;
        }
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(schema());
            statement.executeUpdate("PRAGMA user_version = " + VERSION);
        }
        connection.commit();
    }

    private static String schema() {
        var name = "sqlite/history.sql";
        try (var script = HistoryFile.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("this build lacks " + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    SqlSession openWriter() throws SQLException {
        return new SqlSession(writer(), ResultRow.NullChecksum.ACCEPTED);
    }

    private Connection writer() throws SQLException {
        var config = Database.config();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
        config.setJournalSizeLimit(WAL_LIMIT_BYTES);
        return Database.connect(file, config);
    }

    @Override
    public SqlSession openReader() throws SQLException {
        return new SqlSession(Database.reader(file), ResultRow.NullChecksum.ACCEPTED);
    }

    @Override
    public StoreFailure failure(String doing, SQLException e) {
        return SqliteErrors.of(doing, file, e);
    }
}
