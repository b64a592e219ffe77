package dev.berth.store;

import dev.berth.files.AtomicFile;
import dev.berth.port.StoreFailure;

import org.sqlite.SQLiteConfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The SQLite file of a home, checked and migrated to this build's schema version. Everything that
 * is specific to SQLite is here, in {@link SqliteErrors} and in the folder {@code sqlite}.
 */
public final class Database implements ReaderPool.SessionSource {

    /** How long a write waits for the lock of a SQL shell. The engine is blocked meanwhile. */
    private static final int BUSY_MS = 2_000;

    private static final int WAL_LIMIT_BYTES = 64 * 1024 * 1024;

    private final Path file;

    private Database(Path file) {
        this.file = file;
    }

    /**
     * Creates the database if it does not exist, else migrates it.
     *
     * @throws HomeRefused if the file is damaged, was not made by Berth or is newer than this
     *     build; it is not changed
     */
    public static Database open(Path path) throws HomeRefused, StoreFailure {
        var file = path.toAbsolutePath();
        NativeLibrary.unpackTo(file.resolveSibling("lib"));
        var database = new Database(file);
        try {
            if (Files.exists(file)) {
                int version = new DatabaseCheck(file).checkedVersion();
                if (version < Migrations.CURRENT) {
                    migrate(database.writer(), version);
                }
            } else {
                database.create();
            }
            return database;
        } catch (SQLException e) {
            if (SqliteErrors.isCorruption(e)) {
                throw damaged(file, String.valueOf(e.getMessage()));
            }
            throw database.failure("open", e);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot make " + file + ": " + e, e);
        }
    }

    /**
     * Checks a database without changing it.
     *
     * @throws HomeRefused if it cannot be used, with the reason
     */
    public static void check(Path file) throws HomeRefused, StoreFailure {
        try {
            var _ = new DatabaseCheck(file).checkedVersion();
        } catch (SQLException e) {
            if (SqliteErrors.isCorruption(e)) {
                throw damaged(file, String.valueOf(e.getMessage()));
            }
            throw SqliteErrors.of("examine", file, e);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot read " + file + ": " + e, e);
        }
    }

    /**
     * The file is built under another name and then moved, so an empty database is always damage.
     */
    private void create() throws HomeRefused, SQLException, IOException {
        var log = sibling("-wal");
        if (Files.exists(log) && Files.size(log) > 0) {
            throw damaged(file, "it is gone, but its log " + log + " is still there");
        }
        var temporary = sibling(".new");
        Files.createDirectories(
                file.getParent(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        for (var left : List.of("", "-journal", "-wal", "-shm")) {
            Files.deleteIfExists(sibling(".new" + left));
        }
        // SQLite gives its log and shared memory the mode of the file.
        Files.createFile(
                temporary,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        migrate(connect(temporary, config()), 0);
        // Closing removes the log, so that the file alone is the whole database.
        try (var connection = connect(temporary, writerConfig())) {
            if (!DatabaseCheck.queryText(connection, "PRAGMA journal_mode").equals("wal")) {
                throw new HomeRefused(
                        "%s cannot be kept here: its log needs memory shared between programs. %s"
                                .formatted(file, "Choose a directory on a local disk."));
            }
        }
        AtomicFile.renameDurably(temporary, file);
    }

    private static HomeRefused damaged(Path file, String what) {
        return DatabaseCheck.damaged(file, Migrations.CURRENT, what);
    }

    private static void migrate(Connection connection, int from) throws SQLException {
        try (connection) {
            Migrations.migrate(connection, from);
        }
    }

    private Path sibling(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    SqlSession openWriter() throws SQLException {
        return new SqlSession(writer());
    }

    private Connection writer() throws SQLException {
        return connect(file, writerConfig());
    }

    private static SQLiteConfig writerConfig() {
        var config = config();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        return config;
    }

    @Override
    public SqlSession openReader() throws SQLException {
        return new SqlSession(reader(file));
    }

    static Connection reader(Path file) throws SQLException {
        var config = config();
        config.setReadOnly(true);
        return connect(file, config);
    }

    /**
     * A transaction is always open, but takes its lock with its first statement. With an immediate
     * transaction the driver would hold the write lock between commits.
     */
    static Connection connect(Path file, SQLiteConfig config) throws SQLException {
        // A URI, because in a plain path the driver reads settings after a question mark.
        var connection = config.createConnection("jdbc:sqlite:" + file.toUri());
        connection.setAutoCommit(false);
        return connection;
    }

    static SQLiteConfig config() {
        var config = new SQLiteConfig();
        config.setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.enforceForeignKeys(true);
        config.setBusyTimeout(BUSY_MS);
        config.setJournalSizeLimit(WAL_LIMIT_BYTES);
        // Sorting must not need space on a disk that may be full.
        config.setTempStore(SQLiteConfig.TempStore.MEMORY);
        config.setGetGeneratedKeys(false);
        return config;
    }

    @Override
    public StoreFailure failure(String doing, SQLException e) {
        return SqliteErrors.of(doing, file, e);
    }
}
