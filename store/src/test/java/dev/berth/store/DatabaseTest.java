package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.task.Task;
import dev.berth.port.StoreFailure;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

class DatabaseTest {

    @TempDir private Path home;

    private Path file;

    @BeforeEach
    void name() {
        file = home.resolve("runtime/tasks.db");
    }

    // --- creation ---

    @Test
    void allFilesAreReadableByTheOwnerOnly() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();

            assertThat(mode(file.getParent())).isEqualTo("rwx------");
            for (var suffix : new String[] {"", "-wal", "-shm"}) {
                assertThat(mode(beside(suffix))).isEqualTo("rw-------");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"with space", "what?a=b", "100%41", "#1", "号 🦈", "file:x", "a'b\"c"})
    void aHomeMayHaveAnyName(String name) throws Exception {
        var odd = home.resolve(name).resolve("tasks.db");
        keepOne(odd, 1);
        keepOne(odd, 2);

        assertThat(odd).isNotEmptyFile();
        assertThat(loaded(odd)).containsExactly(1L, 2L);
    }

    @Test
    void anIncompleteDatabaseIsCreatedAgain() throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(beside(".new"), "half");
        Files.writeString(beside(".new-journal"), "half");

        keepOne(file, 1);

        assertThat(loaded(file)).containsExactly(1L);
        assertThat(beside(".new")).doesNotExist();
        assertThat(beside(".new-journal")).doesNotExist();
    }

    @Test
    void theLogIsSyncedAtEveryCommit() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file));
                var connection = sql()) {
            store.open();
            assertThat(one(connection, "PRAGMA journal_mode")).isEqualTo("wal");
        }
        try (var session = Database.open(file).openWriter()) {
            assertThat(one(session, "PRAGMA synchronous")).isEqualTo(2);
            assertThat(one(session, "PRAGMA foreign_keys")).isEqualTo(1);
        }
    }

    @Test
    void aReaderCannotWrite() throws Exception {
        try (var reader = Database.open(file).openReader()) {
            assertThatThrownBy(() -> reader.prepared("DELETE FROM server").run())
                    .hasMessageContaining("readonly");
        }
    }

    // --- refusal ---

    @Test
    void anEmptyFileIsRefusedAsDamaged() throws Exception {
        keepOne(file, 1);
        Files.write(file, new byte[0]);

        assertDamagedAndKept();
    }

    @Test
    void aTruncatedFileIsRefused() throws Exception {
        keepMany();
        var bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));

        assertDamagedAndKept();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5})
    void aPageOfGarbageIsRefused(int page) throws Exception {
        keepMany();
        var bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, page * 4096, (page + 1) * 4096, (byte) 0xa5);
        Files.write(file, bytes);

        assertDamagedAndKept();
    }

    @Test
    void aDamagedFileAndItsLogAreNotChanged() throws Exception {
        keepMany();
        var copy = Files.createDirectory(home.resolve("copy"));
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            SampleTasks.save(store, SampleTasks.task(500));
            // A killed server leaves its last commits only in the log.
            for (var suffix : new String[] {"", "-wal"}) {
                Files.copy(beside(suffix), copy.resolve("tasks.db" + suffix));
            }
        }
        file = copy.resolve("tasks.db");
        var bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, 8192, 12288, (byte) 0xa5);
        Files.write(file, bytes);

        assertDamagedAndKept();
    }

    @Test
    void theRestoreStepsInTheRefusalWork() throws Exception {
        assumeTrue(ChildJvm.run(List.of("bash", "-c", "type sqlite3")).endsWith("exit 0"));
        keepMany();
        var bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, 3 * 4096, 4 * 4096, (byte) 0xa5);
        Files.write(file, bytes);
        var refused = catchThrowableOfType(HomeRefused.class, () -> Database.open(file));
        var moved = Files.move(file, home.resolve("tasks.db"));
        var advice =
                refused.getMessage().lines().filter(line -> line.contains("sqlite3")).findFirst();

        var script = "cd '" + moved.getParent() + "' && " + advice.orElseThrow();

        assertThat(ChildJvm.run(List.of("bash", "-c", script))).isEqualTo("exit 0");
        assertThat(loaded(file)).hasSize(300);
    }

    @Test
    void aLogWithoutItsDatabaseIsRefused() throws Exception {
        keepOne(file, 1);
        Files.delete(file);
        Files.writeString(beside("-wal"), "the only trace");

        assertDamagedAndKept();
        assertThat(file).doesNotExist();
    }

    @Test
    void aNewerVersionIsRefusedAndBothVersionsAreNamed() throws Exception {
        keepOne(file, 1);
        try (var connection = sql()) {
            connection.createStatement().executeUpdate("PRAGMA user_version = 412");
        }
        var before = contents();

        assertThatExceptionOfType(HomeRefused.class)
                .isThrownBy(() -> Database.open(file))
                .withMessageContaining(file.toString())
                .withMessageContaining("version 412")
                .withMessageContaining("up to " + Migrations.CURRENT);
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void aDatabaseOfAnotherProgramIsRefused() throws Exception {
        Files.createDirectories(file.getParent());
        try (var connection = sql()) {
            connection
                    .createStatement()
                    .executeUpdate("CREATE TABLE tasks (id INTEGER PRIMARY KEY)");
        }

        assertThatExceptionOfType(HomeRefused.class)
                .isThrownBy(() -> Database.open(file))
                .withMessageContaining("not made by Berth");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.7.0", "3.51.2", "3.9.9", "2.99.99"})
    void anUnsafeSqliteIsRefused(String version) {
        assertThatIllegalStateException()
                .isThrownBy(() -> DatabaseCheck.requireSafeSqlite(version));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.51.3", "3.51.10", "3.53.4", "3.100.0", "4.0.0"})
    void aSafeSqliteIsAccepted(String version) {
        DatabaseCheck.requireSafeSqlite(version);
    }

    // --- helpers ---

    private void assertDamagedAndKept() throws Exception {
        var before = contents();

        assertThatExceptionOfType(HomeRefused.class)
                .isThrownBy(() -> Database.open(file))
                .withMessageContaining("The database " + file + " is damaged: ")
                .withMessageContaining("To restore:");

        assertThat(contents()).isEqualTo(before);
    }

    /** A hash of every file with data. Shared memory is only an index of the log. */
    private Map<String, String> contents() throws Exception {
        var contents = new TreeMap<String, String>();
        for (var suffix : new String[] {"", "-wal"}) {
            var bytes =
                    Files.exists(beside(suffix)) ? Files.readAllBytes(beside(suffix)) : new byte[0];
            contents.put(
                    suffix,
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
        }
        return contents;
    }

    private static void keepOne(Path file, long id) throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            SampleTasks.save(store, SampleTasks.task(id));
        }
    }

    private void keepMany() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            SampleTasks.save(
                    store,
                    LongStream.rangeClosed(1, 300)
                            .mapToObj(SampleTasks::task)
                            .toArray(Task[]::new));
        }
    }

    private static List<Long> loaded(Path file) throws HomeRefused, StoreFailure {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            return SampleTasks.ids(store.open().tasks());
        }
    }

    private Path beside(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private Connection sql() throws Exception {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    private static Object one(Connection connection, String query) throws Exception {
        try (var result = connection.createStatement().executeQuery(query)) {
            return result.getObject(1);
        }
    }

    private static int one(SqlSession session, String query) throws Exception {
        try (var row = session.prepared(query).query()) {
            assertThat(row.next()).isTrue();
            return row.smallNumber(new Column(query, 1));
        }
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
