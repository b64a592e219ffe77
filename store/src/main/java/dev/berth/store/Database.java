package dev.berth.store;

import dev.berth.engine.port.StoreFailure;

import org.sqlite.SQLiteConfig;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A home's SQLite file, known to be sound and of this build's version. Whatever only SQLite
 * understands is here, in {@link Failures} and in the folder {@code sqlite}.
 */
public final class Database implements Readers.Source {

    /** How long a write waits for somebody with a SQL shell; the engine stands still meanwhile. */
    private static final int BUSY_MS = 2_000;

    private static final int WAL_LIMIT_BYTES = 64 * 1024 * 1024;

    private final Path file;

    private Database(Path file) {
        this.file = file;
    }

    /**
     * Makes the database where there is none, and otherwise brings it up to date.
     *
     * @throws HomeRefused if what is there is damaged, is not Berth's or is newer than this build:
     *     it stays as it is
     */
    public static Database at(Path path) throws HomeRefused, StoreFailure {
        var file = path.toAbsolutePath();
        NativeLibrary.keepIn(file.resolveSibling("lib"));
        var database = new Database(file);
        try {
            if (Files.exists(file)) {
                int version = new Inspection(file).version();
                if (version < Migrations.CURRENT) {
                    migrate(database.writer(), version);
                }
            } else {
                database.create();
            }
            return database;
        } catch (SQLException e) {
            if (Failures.isDamage(e)) {
                throw damaged(file, String.valueOf(e.getMessage()));
            }
            throw database.failure("open", e);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot make " + file + ": " + e, e);
        }
    }

    /**
     * Looks whether a database is sound, and changes nothing.
     *
     * @throws HomeRefused that says what is wrong with it
     */
    public static void examine(Path file) throws HomeRefused, StoreFailure {
        try {
            var _ = new Inspection(file).version();
        } catch (SQLException e) {
            if (Failures.isDamage(e)) {
                throw damaged(file, String.valueOf(e.getMessage()));
            }
            throw Failures.of("examine", file, e);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot read " + file + ": " + e, e);
        }
    }

    /** Made beside and moved into place, so that an empty file in its place always means a loss. */
    private void create() throws HomeRefused, SQLException, IOException {
        var log = sibling("-wal");
        if (Files.exists(log) && Files.size(log) > 0) {
            throw damaged(file, "it is gone, but its log " + log + " is still there");
        }
        var fresh = sibling(".new");
        Files.createDirectories(
                file.getParent(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        for (var left : List.of("", "-journal", "-wal", "-shm")) {
            Files.deleteIfExists(sibling(".new" + left));
        }
        // SQLite gives its log and shared memory the mode of the file.
        Files.createFile(
                fresh,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        migrate(connect(fresh, config()), 0);
        // Closing takes the log away again, so that the file alone is the whole database.
        try (var connection = connect(fresh, writing())) {
            if (!Inspection.text(connection, "PRAGMA journal_mode").equals("wal")) {
                throw new HomeRefused(
                        "%s cannot be kept here: its log needs memory shared between programs. %s"
                                .formatted(file, "Choose a directory on a local disk."));
            }
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        try (var folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private static HomeRefused damaged(Path file, String what) {
        return Inspection.damaged(file, Migrations.CURRENT, what);
    }

    private static void migrate(Connection connection, int from) throws SQLException {
        try (connection) {
            Migrations.run(connection, from);
        }
    }

    private Path sibling(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    Session openWriter() throws SQLException {
        return new Session(writer());
    }

    private Connection writer() throws SQLException {
        return connect(file, writing());
    }

    private static SQLiteConfig writing() {
        var config = config();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        return config;
    }

    @Override
    public Session openReader() throws SQLException {
        return new Session(reader(file));
    }

    static Connection reader(Path file) throws SQLException {
        var config = config();
        config.setReadOnly(true);
        return connect(file, config);
    }

    /**
     * A transaction is begun at once but takes its lock with its first statement. Beginning it as a
     * writing one would make the driver hold the lock between commits.
     */
    static Connection connect(Path file, SQLiteConfig config) throws SQLException {
        // As a URI: in a plain path the driver takes what follows a question mark for settings.
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
        // Sorting must not need room on a disk that may be full.
        config.setTempStore(SQLiteConfig.TempStore.MEMORY);
        config.setGetGeneratedKeys(false);
        return config;
    }

    @Override
    public StoreFailure failure(String doing, SQLException e) {
        return Failures.of(doing, file, e);
    }
}
