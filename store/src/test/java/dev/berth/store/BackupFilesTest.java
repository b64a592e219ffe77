package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.id.TaskId;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance.Backup;
import dev.berth.testkit.Eventually;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Backups, and the checks of a database that a server uses. */
class BackupFilesTest {

    private static final Instant NOON = Instant.parse("2031-05-06T12:00:00Z");

    @TempDir private Path home;

    private Path file;
    private BackupFiles backups;

    @BeforeEach
    void name() {
        file = home.resolve("tasks.db");
        backups = new BackupFiles(home.resolve("backups"));
    }

    @Test
    void aBackupOfADatabaseInUseHasTheSameRows() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            store.commit(SchemaTest.everything());
            var contents = StoredContents.read(file);

            var made = backups.make(file, NOON);

            assertThat(made.file()).isEqualTo(home.resolve("backups/tasks-20310506-120000.db"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made.file())))
                    .isEqualTo("rw-------");
            assertThat(backups.list()).containsExactly(made);
            var restored = home.resolve("restored.db");
            Files.copy(made.file(), restored);
            sql(restored, "UPDATE server SET backup_at = NULL");
            assertThat(StoredContents.read(restored)).isEqualTo(contents);
            assertThat(StoredContents.load(restored).epoch()).isEqualTo(2);
        }
    }

    @Test
    void noServerStartsOnABackup() throws Exception {
        var made = backup(NOON);

        assertThatExceptionOfType(HomeRefused.class)
                .isThrownBy(() -> Database.open(made.file()))
                .withMessageContaining("is a backup of 2031-05-06T12:00:00Z")
                .withMessageContaining("berth recover --from");
    }

    @Test
    void aDamagedDatabaseIsNotBackedUp() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            store.commit(SchemaTest.everything());
        }
        sql(file, "UPDATE tasks SET name = 'trainer' WHERE id = 1");

        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> backups.make(file, NOON))
                .withMessageContaining("id=1")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.DAMAGED));
        try (var left = Files.list(backups.directory())) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void onlyTheNewestBackupsAreKept() throws Exception {
        var first = backup(NOON);
        var second = backup(NOON.plusSeconds(1));
        var third = backup(NOON.plusSeconds(2));
        Files.writeString(backups.directory().resolve("tasks-of-alice.db"), "hers");

        backups.keepNewest(2);

        assertThat(backups.list()).containsExactly(third, second);
        assertThat(first.file()).doesNotExist();
        assertThat(backups.directory().resolve("tasks-of-alice.db")).exists();
    }

    @Test
    void whatAKilledServerLeftIsRemoved() throws Exception {
        Files.createDirectories(backups.directory());
        var left = backups.directory().resolve("tasks-20300101-000000.db.new");
        Files.writeString(left, "half");

        backup(NOON);

        assertThat(left).doesNotExist();
    }

    @Test
    void aDamagedDatabaseIsRefusedWithTheNamesOfItsBackups() throws Exception {
        var made = backup(NOON);
        Files.write(file, new byte[0]);

        assertThatExceptionOfType(HomeRefused.class)
                .isThrownBy(() -> Database.open(file, backups, Database.StartCheck.NONE))
                .withMessageContaining("berth recover --from BACKUP")
                .withMessageContaining(made.file().toString());
    }

    @ParameterizedTest
    @CsvSource({
        "2031-05-06T03:00:00Z, 2031-05-06T12:00:00Z, false",
        "2031-05-06T02:59:59Z, 2031-05-06T03:00:00Z, true",
        "2031-05-05T03:00:10Z, 2031-05-06T02:59:59Z, false",
        "2031-05-05T03:00:10Z, 2031-05-06T03:00:00Z, true",
        "2031-04-01T03:00:10Z, 2031-05-06T01:00:00Z, true",
        "2031-05-06T01:00:00Z, 2031-05-06T02:00:00Z, false",
    })
    void aBackupIsDueOnceItsHourHasPassed(Instant last, Instant now, boolean isDue) {
        assertThat(SqliteMaintenance.isDue(3, last, now.atZone(ZoneOffset.UTC))).isEqualTo(isDue);
    }

    // --- while a server runs ---

    @Test
    void rowsOfAnEarlierVersionGetTheirChecksumsWhileTheServerRuns() throws Exception {
        try (var old = SchemaTest.class.getResourceAsStream("version-5.db")) {
            Files.copy(old, file);
        }
        var contents = StoredContents.read(file);
        var database = Database.open(file);
        try (var store = new SqliteTaskStore(database);
                var _ = maintain(database, new ConcurrentLinkedQueue<>(), false)) {
            store.open();
            Eventually.eventually("all rows have checksums", database::isAllChecked);
            SampleTasks.save(store, SampleTasks.task(100));
        }

        assertThat(DeepCheck.run(file, (_, _) -> {}).withoutChecksum()).isZero();
        assertThat(StoredContents.read(file).attempts()).isEqualTo(contents.attempts());
        sql(file, "UPDATE attempt SET checksum = NULL");
        assertThat(DeepCheck.run(file, (_, _) -> {}).damage())
                .anySatisfy(what -> assertThat(what).contains("attempt", "lost its checksum"));
    }

    @Test
    void damageOfAnEndedTaskRaisesOneAlertAndItsRowIsNotServed() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            store.commit(SchemaTest.everything());
        }
        sql(file, "UPDATE tasks SET error = 'no error' WHERE id = 1");
        var database = Database.open(file);
        var facts = new ConcurrentLinkedQueue<Fact>();
        try (var queries = new SqliteTaskQueries(database);
                var maintenance = maintain(database, facts, false)) {
            Eventually.present("the damage", maintenance::damage);
            Eventually.eventually("the alert", () -> !facts.isEmpty());

            assertThatExceptionOfType(StoreFailure.class)
                    .isThrownBy(() -> queries.find(new TaskId(1)))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.DAMAGED));
            assertThat(queries.find(new TaskId(2))).isPresent();
            assertThat(facts)
                    .containsExactly(
                            new Fact.DatabaseDamaged(
                                    "the row id=1 of the table tasks does not match its"
                                            + " checksum"));
        }
    }

    @Test
    void noBackupIsMadeWhileTheDiskIsLow() throws Exception {
        var database = Database.open(file);
        try (var maintenance = maintain(database, new ConcurrentLinkedQueue<>(), true)) {
            assertThatExceptionOfType(StoreFailure.class)
                    .isThrownBy(maintenance::backUp)
                    .withMessage("disk space is low");
        }
        assertThat(backups.list()).isEmpty();
    }

    @Test
    void aBackupCanBeMadeAtAnyTime() throws Exception {
        var database = Database.open(file);
        try (var maintenance = maintain(database, new ConcurrentLinkedQueue<>(), false)) {
            var made = maintenance.backUp();

            assertThat(maintenance.lastBackup()).contains(made);
            assertThat(backups.list()).containsExactly(made);
        }
    }

    private SqliteMaintenance maintain(Database database, Queue<Fact> facts, boolean isDiskLow) {
        return SqliteMaintenance.start(
                database,
                new SqliteMaintenance.Settings(backups, 2, 3),
                new SqliteMaintenance.Surroundings(Clock.systemUTC(), facts::add, () -> isDiskLow));
    }

    private Backup backup(Instant at) throws Exception {
        var _ = Database.open(file);
        return backups.make(file, at);
    }

    private static void sql(Path database, String statement) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + database)) {
            connection.createStatement().executeUpdate(statement);
        }
    }
}
