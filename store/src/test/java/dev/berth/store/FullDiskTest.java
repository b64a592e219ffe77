package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.task.Priority;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Runs on a file system of a few megabytes that only the processes of the test can see. */
class FullDiskTest {

    @TempDir private Path mount;

    @Test
    void aFullDiskLosesNothingAndTheStoreRecoversByItself() throws Exception {
        assumeTrue(
                ChildJvm.run(List.of("unshare", "-Urm", "true")).equals("exit 0"),
                "this machine lets nobody mount a file system of his own");
        var script = "mount -t tmpfs -o size=6m tmpfs \"$0\" && exec \"$@\"";
        var command =
                new ArrayList<>(List.of("unshare", "-Urm", "bash", "-c", script, mount.toString()));
        command.addAll(ChildJvm.command(Scenario.class, List.of(), mount));

        assertThat(ChildJvm.run(command)).endsWith("all well\nexit 0");
    }

    /** Runs on the small file system. */
    static final class Scenario {
        private static final String COMMAND = "x".repeat(20_000);

        private final Path file;
        private final Path ballast;
        private long last;

        private Scenario(Path mount) {
            file = mount.resolve("tasks.db");
            ballast = mount.resolve("ballast");
        }

        public static void main(String[] arguments) throws Exception {
            new Scenario(Path.of(arguments[0])).run();
            System.out.println("all well");
        }

        private void run() throws Exception {
            var database = Database.open(file);
            try (var store = new SqliteTaskStore(database);
                    var queries = new SqliteTaskQueries(database)) {
                store.open();
                keepSome(store, 10);
                fillDisk();
                keepUntilFull(store);
                for (int i = 0; i < 5; i++) {
                    assertThat(keepFails(store)).isEqualTo(StoreFailure.Kind.FULL);
                }
                assertAllThere(queries);

                Files.delete(ballast);
                keepSome(store, 10);
                assertAllThere(queries);
                fillDisk();
                keepUntilFull(store);
            }
            restartOnFullDisk();
        }

        /**
         * After all connections are closed, the shared memory of the log must be created again, on
         * a full disk.
         */
        private void restartOnFullDisk() throws Exception {
            fillDisk();
            try (var store = new SqliteTaskStore(Database.open(file))) {
                store.open();
            } catch (StoreFailure e) {
                assertThat(e.kind()).isEqualTo(StoreFailure.Kind.FULL);
            }
            Files.delete(ballast);
            var database = Database.open(file);
            try (var store = new SqliteTaskStore(database);
                    var queries = new SqliteTaskQueries(database)) {
                assertThat(store.open().tasks()).hasSize((int) last);
                keepSome(store, 1);
                assertAllThere(queries);
            }
        }

        private void fillDisk() throws IOException {
            try (var out =
                    Files.newOutputStream(
                            ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                var page = new byte[4096];
                for (int i = 0; i < 100_000; i++) {
                    out.write(page);
                }
                throw new AssertionError("the disk does not become full");
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space left");
            }
        }

        private void keepSome(SqliteTaskStore store, int count) throws StoreFailure {
            for (int i = 0; i < count; i++) {
                SampleTasks.save(store, SampleTasks.task(last + 1, Priority.NORMAL, COMMAND));
                last++;
            }
        }

        /** The log may have free space inside, from commits that were moved into the database. */
        private void keepUntilFull(SqliteTaskStore store) {
            for (int i = 0; i < 1_000; i++) {
                try {
                    keepSome(store, 1);
                } catch (StoreFailure e) {
                    assertThat(e.kind()).isEqualTo(StoreFailure.Kind.FULL);
                    return;
                }
            }
            throw new AssertionError("the disk does not become full");
        }

        private StoreFailure.Kind keepFails(SqliteTaskStore store) {
            try {
                keepSome(store, 1);
            } catch (StoreFailure e) {
                return e.kind();
            }
            throw new AssertionError("kept on a full disk");
        }

        private void assertAllThere(SqliteTaskQueries queries) throws StoreFailure {
            assertThat(queries.count(Filter.ALL)).isEqualTo(last);
            var newest =
                    queries.list(Filter.ALL, new Page(OptionalInt.of(1), Optional.empty()))
                            .getFirst();
            assertThat(newest.task())
                    .isEqualTo(SampleTasks.task(last, Priority.NORMAL, COMMAND).stored());
        }
    }
}
