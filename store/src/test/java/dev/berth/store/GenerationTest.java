package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.port.StoreFailure;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The generation of a database, its file, and the files that a server must find. */
class GenerationTest {

    @TempDir private Path home;

    private Path file;
    private Path stamp;

    @BeforeEach
    void name() {
        file = home.resolve("runtime/tasks.db");
        stamp = home.resolve("generation");
    }

    @Test
    void theFileFollowsEveryCommit() throws Exception {
        try (var opened = open()) {
            opened.store.open();
            SampleTasks.save(opened.store, SampleTasks.task(7));

            var read = GenerationFile.read(stamp).generation().orElseThrow();
            assertThat(read).isEqualTo(opened.database.generation());
            assertThat(read.commits()).isEqualTo(2);
            assertThat(read.lastTask()).isEqualTo(7);
        }
    }

    @Test
    void everyDatabaseHasAnotherId() throws Exception {
        var other = Database.open(home.resolve("other/tasks.db"));

        assertThat(Database.open(file).generation().databaseId())
                .hasSize(32)
                .isNotEqualTo(other.generation().databaseId());
    }

    @Test
    void everyChangedByteOfTheFileIsNoticed() throws Exception {
        var line = Generation.line(new Generation("ab".repeat(16), 3, 1234, 99));
        for (int at = 0; at < line.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                var changed = line.clone();
                changed[at] ^= (byte) (1 << bit);
                assertThat(Generation.parse(changed)).as("byte %d bit %d", at, bit).isEmpty();
            }
        }
        assertThat(Generation.parse(line)).contains(new Generation("ab".repeat(16), 3, 1234, 99));
        assertThat(line).hasSize(Generation.BYTES);
    }

    @Test
    void aRemovedFileIsWrittenAgain() throws Exception {
        try (var opened = open()) {
            opened.store.open();
            Files.delete(stamp);

            opened.generation.restoreIfRemoved();

            assertThat(GenerationFile.read(stamp).generation())
                    .contains(opened.database.generation());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"runtime/tasks.db", "runtime/tasks.db-wal", "lock", "."})
    void nothingIsStoredWhileAFileIsAway(String name) throws Exception {
        try (var opened = open()) {
            opened.store.open();
            SampleTasks.save(opened.store, SampleTasks.task(1));
            var path = home.resolve(name).normalize();
            var away = home.resolveSibling(home.getFileName() + "-away");

            Files.move(path, away);
            try {
                assertThatExceptionOfType(StoreFailure.class)
                        .isThrownBy(() -> SampleTasks.save(opened.store, SampleTasks.task(2)))
                        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.REMOVED));
                assertThat(opened.store.problem()).isPresent();
            } finally {
                Files.move(away, path);
            }

            assertThat(opened.store.problem()).isEmpty();
            SampleTasks.save(opened.store, SampleTasks.task(3));
        }
        try (var again = new SqliteTaskStore(Database.open(file))) {
            assertThat(SampleTasks.ids(again.open().tasks())).containsExactly(1L, 3L);
        }
    }

    @Test
    void aReplacedDatabaseIsNotUsedByANewConnection() throws Exception {
        try (var opened = open()) {
            opened.store.open();
            SampleTasks.save(opened.store, SampleTasks.task(1));
            var kept = Files.move(file, home.resolve("kept"));
            Files.copy(kept, file);

            assertThatExceptionOfType(StoreFailure.class)
                    .isThrownBy(() -> SampleTasks.save(opened.store, SampleTasks.task(2)))
                    .withMessageContaining("was replaced by another file");
        }
    }

    /** {@code cp backup tasks.db} keeps the file's identity. */
    @Test
    void anOlderContentOfTheSameFileIsNotUsedByANewConnection() throws Exception {
        try (var opened = open()) {
            opened.store.open();
            SampleTasks.save(opened.store, SampleTasks.task(1));
            opened.store.close();
            var older = Files.readAllBytes(file);
            SampleTasks.save(opened.store, SampleTasks.task(2));
            opened.store.close();
            Files.write(file, older);

            assertThatExceptionOfType(StoreFailure.class)
                    .isThrownBy(() -> SampleTasks.save(opened.store, SampleTasks.task(3)))
                    .withMessageContaining("is older than this server");
            assertThat(opened.store.problem()).isPresent();
        }
    }

    private Opened open() throws Exception {
        Files.writeString(home.resolve("lock"), "");
        var database = Database.open(file);
        var generation = GenerationFile.open(stamp, database.generation());
        var held = HeldFiles.of(file, List.of(home, home.resolve("lock")));
        return new Opened(
                database,
                generation,
                new SqliteTaskStore(database, new StoreGuard(held, Optional.of(generation))));
    }

    private record Opened(Database database, GenerationFile generation, SqliteTaskStore store)
            implements AutoCloseable {
        @Override
        public void close() throws Exception {
            store.close();
            generation.close();
        }
    }
}
