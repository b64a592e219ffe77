package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;
import dev.berth.port.event.NodeAlert;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A bit that the disk has flipped is found; it never becomes other data. */
class FlippedBitTest {

    private static final Instant NOON = SampleTasks.NOON;
    private static final int FLIPS = 320;
    private static final int COMMITS = 12;

    @TempDir private Path home;

    private Path file;
    private Path log;

    @BeforeEach
    void name() {
        file = home.resolve("tasks.db");
        log = home.resolve("tasks.db-wal");
    }

    @Test
    void noFlippedBitOfTheDatabaseBecomesOtherData() throws Exception {
        fill(() -> {});
        var bytes = Files.readAllBytes(file);
        var loaded = StoredContents.load(file);
        var contents = StoredContents.read(file);
        var random = new Random(20_260_101);
        int found = 0;
        for (int flip = 0; flip < FLIPS; flip++) {
            int at = random.nextInt(bytes.length);
            int bit = random.nextInt(8);
            restore(bytes, Optional.empty());
            bytes[at] ^= (byte) (1 << bit);
            Files.write(file, bytes);
            bytes[at] ^= (byte) (1 << bit);

            found += check("bit " + bit + " of byte " + at, loaded, contents) ? 1 : 0;
        }
        // Otherwise the flips did not meet any data.
        assertThat(found).isGreaterThan(FLIPS / 4);
    }

    @Test
    void noFlippedBitOfTheLogLosesACommitThatAnotherOneFollows() throws Exception {
        var image = new byte[2][];
        fill(
                () -> {
                    image[0] = Files.readAllBytes(file);
                    image[1] = Files.readAllBytes(log);
                });
        restore(image[0], Optional.of(image[1]));
        var loaded = StoredContents.load(file);
        restore(image[0], Optional.of(image[1]));
        var contents = StoredContents.read(file);
        int end = startOfLastCommit(image[1]);
        var random = new Random(20_260_102);
        int found = 0;
        for (int flip = 0; flip < FLIPS / 4; flip++) {
            int at = flip < 64 ? flip % 32 : random.nextInt(end);
            int bit = random.nextInt(8);
            var changed = image[1].clone();
            changed[at] ^= (byte) (1 << bit);
            restore(image[0], Optional.of(changed));

            found += check("bit " + bit + " of byte " + at, loaded, contents) ? 1 : 0;
        }
        assertThat(found).isGreaterThan(FLIPS / 8);
    }

    /**
     * After a checkpoint the log begins anew, and what it has not overwritten is not part of it.
     */
    @Test
    void aLogThatBeganAnewOverAnEarlierOneIsAccepted() throws Exception {
        var image = new byte[2][];
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            for (int commit = 0; commit < 20; commit++) {
                store.commit(SchemaTest.everything());
            }
            try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    var statement = connection.createStatement()) {
                statement.execute("PRAGMA wal_checkpoint(RESTART)");
            }
            store.commit(SchemaTest.everything());
            image[0] = Files.readAllBytes(file);
            image[1] = Files.readAllBytes(log);
        }
        restore(image[0], Optional.of(image[1]));

        assertThat(LogFileCheck.run(log)).isEmpty();
    }

    @Test
    void aLogWhoseLastCommitIsIncompleteIsAccepted() throws Exception {
        var image = new byte[2][];
        fill(
                () -> {
                    image[0] = Files.readAllBytes(file);
                    image[1] = Files.readAllBytes(log);
                });
        int end = startOfLastCommit(image[1]);
        for (int at = end; at < image[1].length; at += 997) {
            var torn = image[1].clone();
            Arrays.fill(torn, at, Math.min(at + 512, torn.length), (byte) 0);
            restore(image[0], Optional.of(torn));

            assertThat(StoredContents.load(file).tasks()).isNotEmpty();
        }
    }

    @Test
    void aRowThatLostItsChecksumIsNotTakenForAnOldOne() throws Exception {
        fill(() -> {});
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection
                    .createStatement()
                    .executeUpdate("UPDATE tasks SET checksum = NULL WHERE status = 'queued'");
        }

        var failure = catchThrowableOfType(StoreFailure.class, () -> StoredContents.load(file));

        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.DAMAGED);
        assertThat(failure).hasMessageContaining("tasks").hasMessageContaining("id=");
        assertThat(DeepCheck.run(file, (_, _) -> {}).isSound()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE tasks SET status = 'queuee' WHERE id = 2",
                "UPDATE tasks SET status = 'quetee' WHERE id = 3",
                "UPDATE attempt SET phase = 'runninf' WHERE task = 20",
                "UPDATE claim SET live = 3 WHERE task = 20",
                "UPDATE run SET stage = 'runninf'",
                "UPDATE event SET seq = seq + 4096 WHERE seq = (SELECT max(seq) FROM event)",
            })
    void whatIsLiveIsNotLostWhenTheWordThatSelectsItIsDamaged(String change) throws Exception {
        fill(() -> {});
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            // A disk asks no trigger.
            connection.createStatement().execute("DROP TRIGGER event_is_not_changed");
            connection.createStatement().executeUpdate(change);
        }

        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> StoredContents.load(file))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.DAMAGED));
    }

    /**
     * @return whether the damage was found
     */
    private boolean check(String flip, TaskStore.Loaded loaded, StoredContents contents)
            throws Exception {
        Database database;
        try {
            database = Database.open(file);
        } catch (HomeRefused | StoreFailure _) {
            return true;
        }
        boolean isFound = false;
        try {
            if (!StoredContents.read(database).equals(contents)) {
                // A damaged index can hide a row; the check of the whole database finds that.
                assertThat(isFoundByDeepCheck()).as(flip + " is found").isTrue();
                isFound = true;
            }
        } catch (StoreFailure | RuntimeException _) {
            isFound = true;
        }
        try {
            assertThat(StoredContents.load(database)).as(flip).isEqualTo(loaded);
        } catch (StoreFailure _) {
            isFound = true;
        }
        return isFound;
    }

    private boolean isFoundByDeepCheck() {
        try {
            return !DeepCheck.run(file, (_, _) -> {}).isSound();
        } catch (HomeRefused | StoreFailure _) {
            return true;
        }
    }

    private void restore(byte[] database, Optional<byte[]> logBytes) throws Exception {
        Files.deleteIfExists(home.resolve("tasks.db-shm"));
        Files.deleteIfExists(log);
        Files.write(file, database);
        if (logBytes.isPresent()) {
            Files.write(log, logBytes.get());
        }
    }

    /** The commit frame before the last ends the last but one commit. */
    private static int startOfLastCommit(byte[] wal) {
        var frames = new ArrayList<Integer>();
        for (int at = 32; at + 24 + 4096 <= wal.length; at += 24 + 4096) {
            if (ByteBuffer.wrap(wal).getInt(at + 4) != 0) {
                frames.add(at + 24 + 4096);
            }
        }
        return frames.get(frames.size() - 2);
    }

    // --- content ---

    private interface Step {
        void run() throws Exception;
    }

    /**
     * @param beforeClose runs when the last commits are only in the log
     */
    private void fill(Step beforeClose) throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            store.commit(SchemaTest.everything());
            for (int commit = 0; commit < COMMITS; commit++) {
                var changes = new ArrayList<Change>();
                for (int at = 1; at <= 10; at++) {
                    add(changes, 10 + commit * 10L + at);
                }
                store.commit(changes);
            }
            beforeClose.run();
        }
    }

    private static void add(List<Change> changes, long id) {
        var spec = TaskSpec.of("task " + id, "echo " + "x".repeat((int) id * 40), Need.CPU, "/");
        var shim = new ShimProcess(new ProcessKey("boot", 100 + id, 7 * id), NOON);
        boolean isLive = id % 5 == 0;
        TaskState state =
                id % 7 == 0
                        ? new TaskState.Queued()
                        : isLive ? new TaskState.Running(1) : new TaskState.Completed(NOON);
        Phase phase =
                isLive
                        ? new Phase.Running(shim)
                        : new Phase.Ended(Optional.of(shim), new Ending.Exited(0), NOON);
        changes.add(
                new Change.TaskSaved(
                        new Task(
                                new TaskId(id),
                                Owner.unix("alice"),
                                spec,
                                NOON,
                                Optional.of(NOON),
                                state,
                                1,
                                0,
                                Optional.empty())));
        changes.add(
                new Change.AttemptSaved(
                        new Attempt(
                                new AttemptId(new TaskId(id), 1),
                                "host",
                                1,
                                "boot",
                                List.of(new Claim(new GpuId("host", "GPU-" + id), 1000 + id, true)),
                                NOON,
                                phase)));
        changes.add(
                new Change.EventAdded(
                        new Event(
                                id,
                                NOON,
                                Owner.BERTH,
                                Optional.empty(),
                                Optional.empty(),
                                new NodeAlert.GpusUnreadable("host", "reading " + id))));
    }
}
