package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.concurrent.CompletableFuture;

class SqliteErrorsTest {

    @TempDir private Path home;

    @ParameterizedTest(name = "code {0} ({3}), disk full: {1} -> {2}")
    @CsvSource({
        "13, false, FULL, full",
        "10, true, FULL, shared memory that cannot grow",
        "10, false, UNAVAILABLE, a failing disk",
        "14, true, FULL, a log that cannot be made",
        "14, false, UNAVAILABLE, a file that cannot be opened",
        "5, true, UNAVAILABLE, busy",
        "6, false, UNAVAILABLE, locked",
        "8, false, UNAVAILABLE, read-only",
        "11, false, UNAVAILABLE, damaged while in use",
        "0, false, UNAVAILABLE, not from SQLite",
    })
    void distinguishesAFullDiskFromOtherErrors(
            int code, boolean full, StoreFailure.Kind kind, String what) {
        assertThat(SqliteErrors.kind(code, () -> full)).as(what).isEqualTo(kind);
    }

    @Test
    void aLockedDatabaseIsUnavailableUntilItIsFree() throws Exception {
        var file = home.resolve("tasks.db");
        var database = Database.open(file);
        try (var store = new SqliteTaskStore(database);
                var queries = new SqliteTaskQueries(database);
                var shell = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            store.open();
            shell.createStatement().execute("BEGIN IMMEDIATE");

            assertThatThrownBy(() -> SampleTasks.save(store, SampleTasks.task(1)))
                    .isInstanceOfSatisfying(
                            StoreFailure.class,
                            e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.UNAVAILABLE))
                    .hasMessageContaining(file.toString());
            assertThat(queries.count(Filter.ALL)).isZero();

            shell.createStatement().execute("COMMIT");
            SampleTasks.save(store, SampleTasks.task(1));
            assertThat(queries.count(Filter.ALL)).isEqualTo(1);
        }
    }

    @Test
    void aClosedStoreRejectsReads() throws Exception {
        var queries = new SqliteTaskQueries(Database.open(home.resolve("tasks.db")));
        queries.close();

        assertThatThrownBy(() -> queries.list(Filter.ALL, Page.WHOLE))
                .isInstanceOf(StoreFailure.class);
    }

    @Test
    void anInterruptedReadIsReportedAsSuch() throws Exception {
        var released = new CompletableFuture<Long>();
        try (var readers = new ReaderPool(Database.open(home.resolve("tasks.db")), 1)) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> readers.read("wait", _ -> released.join()))
                    .isInstanceOf(StoreFailure.class)
                    .hasMessageContaining("interrupted while trying to wait");

            assertThat(Thread.interrupted()).isTrue();
            released.complete(0L);
            long answer = readers.read("wait no more", _ -> released.join());
            assertThat(answer).isZero();
        }
    }
}
