package dev.berth.store;

import dev.berth.files.AtomicFile;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A copy of a database on which {@code berth recover} works. It replaces the database of the home
 * at the end, and that one is kept under another name: a crash in between changes nothing.
 */
public final class RecoveryDatabase implements AutoCloseable {

    private static final String COPY = ".recovering";
    private static final List<String> PARTS = List.of("", "-journal", "-wal", "-shm");

    private final Path target;
    private final Path copy;
    private final Database database;
    private final SqliteTaskQueries queries;

    private RecoveryDatabase(Path target, Path copy, Database database) {
        this.target = target;
        this.copy = copy;
        this.database = database;
        this.queries = new SqliteTaskQueries(database);
    }

    /**
     * @param source the database to start from; an empty one is created if there is none
     * @param target the database of the home, which need not exist
     * @throws HomeRefused if the source is damaged or of a newer version
     */
    public static RecoveryDatabase copy(Optional<Path> source, Path target)
            throws HomeRefused, StoreFailure, IOException {
        var file = target.toAbsolutePath();
        NativeLibrary.unpackTo(file.resolveSibling("lib"));
        var copy = file.resolveSibling(file.getFileName() + COPY);
        delete(copy);
        if (source.isPresent()) {
            Database.check(source.get());
            vacuumInto(source.get(), copy);
            clearBackupMark(copy);
        }
        return new RecoveryDatabase(file, copy, Database.open(copy));
    }

    private static void vacuumInto(Path source, Path copy) throws StoreFailure, IOException {
        Files.createFile(
                copy,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (var connection = Database.reader(source)) {
            connection.setAutoCommit(true);
            try (var statement = connection.prepareStatement("VACUUM INTO ?")) {
                statement.setString(1, copy.toString());
                statement.execute();
            }
        } catch (SQLException e) {
            throw SqliteErrors.of("copy", source, e);
        }
    }

    /** The mark keeps a server from using a backup as it is. It is not part of the checksum. */
    private static void clearBackupMark(Path copy) throws StoreFailure {
        try (var connection = Database.connect(copy, Database.config());
                var statement = connection.createStatement()) {
            if (Integer.parseInt(DatabaseCheck.queryText(connection, "PRAGMA user_version"))
                    >= StoredState.FIRST_WITH_BACKUP_MARK) {
                statement.executeUpdate("UPDATE server SET backup_at = NULL");
                connection.commit();
            }
        } catch (SQLException e) {
            throw SqliteErrors.of("copy", copy, e);
        }
    }

    public TaskQueries queries() {
        return queries;
    }

    /** Reads the copy as a server's start would. */
    public void examine(Database.StartCheck reader) throws HomeRefused, StoreFailure, IOException {
        try (var connection = Database.reader(copy)) {
            reader.check(Optional.of(new StoredState(copy, connection, Migrations.CURRENT)));
        } catch (SQLException e) {
            throw database.failure("read", e);
        }
    }

    /**
     * Makes this copy newer than everything before it, and stores the changes with that.
     *
     * @param atLeast the highest known number of commits and task id
     */
    public void apply(List<Change> changes, Generation atLeast) throws StoreFailure {
        try (var session = database.openWriter()) {
            var batch = new ChangeBatch(changes);
            ServerRow.raiseTo(session, atLeast, batch.scheduler());
            batch.save(session);
            session.commit();
        } catch (SQLException e) {
            throw database.failure("recover", e);
        }
    }

    public Generation generation() throws StoreFailure {
        return database.generation();
    }

    /**
     * Gives the copy the name of the home's database.
     *
     * @param suffix of the previous database, which is kept
     */
    public void install(String suffix) throws StoreFailure, IOException {
        queries.close();
        emptyLog();
        try (var file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            file.force(true);
        }
        // The log first: a database without its log is recognised as older.
        for (var part : List.of("-wal", "-shm", "")) {
            var old = target.resolveSibling(target.getFileName() + part);
            if (Files.exists(old)) {
                AtomicFile.rename(old, target.resolveSibling(target.getFileName() + suffix + part));
            }
        }
        AtomicFile.renameDurably(copy, target);
    }

    /** The copy must be complete without its log, which is not renamed. */
    private void emptyLog() throws StoreFailure, IOException {
        try (var session = database.openWriter()) {
            var _ = ServerRow.read(session);
        } catch (SQLException e) {
            throw database.failure("empty the log", e);
        }
        if (Files.exists(copy.resolveSibling(copy.getFileName() + "-wal"))) {
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "another program uses " + copy);
        }
    }

    @Override
    public void close() throws IOException {
        queries.close();
        delete(copy);
    }

    private static void delete(Path copy) throws IOException {
        for (var part : PARTS) {
            Files.deleteIfExists(copy.resolveSibling(copy.getFileName() + part));
        }
    }
}
