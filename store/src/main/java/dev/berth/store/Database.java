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
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The SQLite file of a home, checked and migrated to this build's schema version. Everything that
 * is specific to SQLite is here, in {@link SqliteErrors} and in the folder {@code sqlite}.
 */
public final class Database implements ReaderPool.SessionSource {

    /** How long a write waits for the lock of a SQL shell. The engine is blocked meanwhile. */
    private static final int BUSY_MS = 2_000;

    private static final int WAL_LIMIT_BYTES = 64 * 1024 * 1024;

    private final Path file;
    private final BackupFiles backups;
    private ResultRow.NullChecksum nullChecksum = ResultRow.NullChecksum.ACCEPTED;
    private volatile boolean isAllChecked;
    private volatile Consumer<String> damageListener = _ -> {};

    private Database(Path file, BackupFiles backups) {
        this.file = file;
        this.backups = backups;
    }

    /** Decides whether a server may use what was found. */
    @FunctionalInterface
    public interface StartCheck {

        /** Accepts every database. */
        StartCheck NONE = _ -> {};

        /**
         * @param stored empty if there is no database
         * @throws HomeRefused if the database must be neither changed nor created
         */
        void check(Optional<StoredState> stored) throws HomeRefused, StoreFailure, IOException;
    }

    /** Without a check against the rest of the home. */
    public static Database open(Path path) throws HomeRefused, StoreFailure {
        return open(path, new BackupFiles(path.resolveSibling("backups")), StartCheck.NONE);
    }

    /**
     * Creates the database if it does not exist, else migrates it.
     *
     * @param backups are named if the database is refused
     * @throws HomeRefused if the file is damaged, was not made by Berth, is newer than this build,
     *     is a backup that was not restored as one, or does not pass the check; it is not changed
     */
    public static Database open(Path path, BackupFiles backups, StartCheck check)
            throws HomeRefused, StoreFailure {
        var file = path.toAbsolutePath();
        NativeLibrary.unpackTo(file.resolveSibling("lib"));
        var database = new Database(file, backups);
        try {
            if (Files.exists(file)) {
                database.requireSoundLog();
                int version = new DatabaseCheck(file).checkedVersion(check);
                if (version < Migrations.CURRENT) {
                    migrate(database.writer(), version);
                }
            } else {
                database.refuseLogWithoutDatabase();
                check.check(Optional.empty());
                database.create();
            }
            database.ensureId();
            database.readServerRow();
            return database;
        } catch (SQLException e) {
            if (SqliteErrors.isCorruption(e)) {
                throw database.withBackups(damaged(file, String.valueOf(e.getMessage())));
            }
            throw database.failure("open", e);
        } catch (StoreFailure failure) {
            throw database.refusal(failure);
        } catch (HomeRefused refused) {
            throw database.withBackups(refused);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot make " + file + ": " + e, e);
        }
    }

    /**
     * The refusal to start on a database whose rows are damaged; another failure stays as it is.
     */
    public HomeRefused refusal(StoreFailure failure) throws StoreFailure {
        if (failure.kind() != StoreFailure.Kind.DAMAGED) {
            throw failure;
        }
        return withBackups(damaged(file, String.valueOf(failure.getMessage())));
    }

    private HomeRefused withBackups(HomeRefused refused) {
        return new HomeRefused(refused.getMessage() + backups.described(), refused);
    }

    /**
     * Checks a database without changing it.
     *
     * @throws HomeRefused if it cannot be used, with the reason
     */
    public static void check(Path file) throws HomeRefused, StoreFailure {
        try {
            var _ = new DatabaseCheck(file).checkedVersion(StartCheck.NONE);
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

    private void refuseLogWithoutDatabase() throws HomeRefused, IOException {
        var log = sibling("-wal");
        if (Files.exists(log) && Files.size(log) > 0) {
            throw damaged(file, "it is gone, but its log " + log + " is still there");
        }
    }

    /**
     * The file is built under another name and then moved, so an empty database is always damage.
     */
    private void create() throws HomeRefused, SQLException, IOException {
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
        try (var session = new SqlSession(connect(temporary, config()), nullChecksum)) {
            var first = ServerRow.read(session).allChecked();
            first.with(first.generation().withNewId()).save(session);
            session.commit();
        }
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

    private void requireSoundLog() throws IOException, HomeRefused {
        var found = LogFileCheck.run(sibling("-wal"));
        if (found.isPresent()) {
            throw damaged(file, found.get());
        }
    }

    /** A database of an earlier version has no id. */
    private void ensureId() throws SQLException {
        try (var session = openReader()) {
            if (!ServerRow.read(session).generation().databaseId().isEmpty()) {
                return;
            }
        }
        try (var session = openWriter()) {
            ServerRow.lock(session);
            var row = ServerRow.read(session);
            row.with(row.generation().withNewId()).save(session);
            session.commit();
        }
    }

    /** From this start on, a row without a checksum is damaged if all rows had one before it. */
    private void readServerRow() throws SQLException, HomeRefused {
        try (var session = openReader()) {
            isAllChecked = ServerRow.read(session).isAllChecked();
        }
        if (isAllChecked) {
            nullChecksum = ResultRow.NullChecksum.DAMAGE;
        }
        try (var session = openReader()) {
            var _ = ServerRow.read(session);
            var backupAt = ServerRow.backupAt(session);
            if (backupAt.isPresent()) {
                throw isBackup(backupAt.get());
            }
        }
    }

    private HomeRefused isBackup(Instant at) {
        return new HomeRefused(
                """
                The database %s is a backup of %s: it does not know what has happened since then.
                Berth does not start on it, and left it as it is. Move it to another place and restore it with:
                  berth recover --from FILE\
                """
                        .formatted(file, at));
    }

    /** True once every row has a checksum; the next commit records it. */
    boolean isAllChecked() {
        return isAllChecked;
    }

    void setAllChecked() {
        isAllChecked = true;
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

    /** How far this database has come. */
    public Generation generation() throws StoreFailure {
        try (var session = openReader()) {
            return ServerRow.read(session).generation();
        } catch (SQLException e) {
            throw failure("read the generation", e);
        }
    }

    SqlSession openWriter() throws SQLException {
        return new SqlSession(writer(), nullChecksum);
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
        return new SqlSession(reader(file), nullChecksum);
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

    /**
     * @param listener gets a description of damage that is found while the database is used
     */
    void onDamage(Consumer<String> listener) {
        damageListener = listener;
    }

    Path file() {
        return file;
    }

    @Override
    public StoreFailure failure(String doing, SQLException e) {
        var failure = SqliteErrors.of(doing, file, e);
        if (failure.kind() == StoreFailure.Kind.DAMAGED) {
            damageListener.accept(String.valueOf(e.getMessage()));
        }
        return failure;
    }
}
