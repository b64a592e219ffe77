package dev.berth.store;

import dev.berth.files.AtomicFile;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance.Backup;

import org.sqlite.SQLiteConfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The backups in a directory: {@code tasks-20310506-120000.db}, by the time in UTC. Each is a whole
 * database, made while the server runs. It is marked as a backup, so that no server starts on it by
 * accident: the tasks' directories are newer than it.
 */
public final class BackupFiles {

    private static final String PREFIX = "tasks-";
    private static final String SUFFIX = ".db";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    /** A backup must leave this much space for the server itself. */
    private static final long SPARE_BYTES = 1L << 30;

    private static final int SHOWN = 3;

    private final Path directory;

    public BackupFiles(Path directory) {
        this.directory = directory.toAbsolutePath();
    }

    /** Where a home has its backups. */
    public static Path directoryOf(Path home) {
        return home.resolve("backups");
    }

    public Path directory() {
        return directory;
    }

    /** All backups, the newest first. */
    public List<Backup> list() throws IOException {
        var backups = new ArrayList<Backup>();
        if (!Files.isDirectory(directory)) {
            return backups;
        }
        try (var files = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
            for (var file : files) {
                var name = file.getFileName().toString();
                var time = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
                try {
                    var at = LocalDateTime.parse(time, TIME).toInstant(ZoneOffset.UTC);
                    backups.add(new Backup(file, at, Files.size(file)));
                } catch (DateTimeParseException _) {
                    // Somebody else's file.
                }
            }
        }
        backups.sort(Comparator.comparing(Backup::at).reversed());
        return backups;
    }

    /** The paths of the newest backups, for a message; empty if there are none. */
    String described() {
        try {
            var newest =
                    list().stream().limit(SHOWN).map(backup -> "\n  " + backup.file()).toList();
            return newest.isEmpty() ? "" : "\nBackups, the newest first:" + String.join("", newest);
        } catch (IOException e) {
            return "\nThe backups in " + directory + " cannot be listed: " + e;
        }
    }

    /**
     * Copies a database that may be in use, and verifies the copy. It has its name only when it is
     * complete and on the disk.
     */
    public Backup make(Path database, Instant now) throws StoreFailure {
        var at = now.truncatedTo(ChronoUnit.SECONDS);
        var name = PREFIX + TIME.format(at.atOffset(ZoneOffset.UTC)) + SUFFIX;
        var target = directory.resolve(name);
        var temporary = directory.resolve(name + ".new");
        try {
            Files.createDirectories(directory, mode("rwx------"));
            requireSpace(Files.size(database));
            removeTemporary();
            // VACUUM INTO writes into an empty file that exists, which keeps its mode.
            Files.createFile(temporary, mode("rw-------"));
            copy(database, temporary);
            mark(temporary, at);
            requireSound(temporary);
            AtomicFile.renameDurably(temporary, target);
            return new Backup(target, at, Files.size(target));
        } catch (SQLException e) {
            throw SqliteErrors.of("back up " + database, temporary, e);
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot write " + target + ": " + e, e);
        } finally {
            removeQuietly(temporary);
        }
    }

    /** Deletes all but the newest backups. */
    public void keepNewest(int count) throws IOException {
        for (var old : list().stream().skip(count).toList()) {
            Files.deleteIfExists(old.file());
        }
    }

    private void requireSpace(long databaseBytes) throws IOException, StoreFailure {
        long free = directory.toFile().getUsableSpace();
        if (free < databaseBytes + SPARE_BYTES) {
            throw new StoreFailure(
                    StoreFailure.Kind.FULL,
                    "a backup of %d MiB does not fit: %d MiB are free in %s, and %d MiB stay free"
                            .formatted(
                                    databaseBytes >> 20, free >> 20, directory, SPARE_BYTES >> 20));
        }
    }

    private static void copy(Path database, Path copy) throws SQLException {
        try (var connection = Database.reader(database)) {
            // VACUUM runs only outside of a transaction.
            connection.setAutoCommit(true);
            try (var statement = connection.prepareStatement("VACUUM INTO ?")) {
                statement.setString(1, copy.toString());
                statement.execute();
            }
        }
    }

    private static void mark(Path copy, Instant at) throws SQLException {
        var config = Database.config();
        // The copy stays a single file.
        config.setJournalMode(SQLiteConfig.JournalMode.MEMORY);
        try (var session =
                new SqlSession(Database.connect(copy, config), ResultRow.NullChecksum.ACCEPTED)) {
            ServerRow.setBackupAt(session, at);
            session.commit();
        }
    }

    private static void requireSound(Path copy) throws StoreFailure {
        DeepCheck.Report report;
        try {
            report = DeepCheck.run(copy, (_, _) -> {});
        } catch (HomeRefused refused) {
            throw new StoreFailure(
                    StoreFailure.Kind.DAMAGED, String.valueOf(refused.getMessage()), refused);
        }
        if (!report.isSound()) {
            throw new StoreFailure(
                    StoreFailure.Kind.DAMAGED,
                    "the copy is damaged: " + report.damage().getFirst());
        }
    }

    /** A server that was killed leaves an incomplete copy. */
    private void removeTemporary() throws IOException {
        try (var files = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX + ".new*")) {
            for (var file : files) {
                Files.delete(file);
            }
        }
    }

    private static void removeQuietly(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException _) {
            // The next backup removes it.
        }
    }

    private static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }
}
