package dev.berth.store;

import dev.berth.core.id.AttemptId;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.StoredTasks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A database as found at a start, before anything is changed. It may have an older schema. Valid
 * only while it is being checked.
 */
public final class StoredState implements StoredTasks {

    static final int FIRST_WITH_BACKUP_MARK = 7;

    private static final int FIRST_WITH_GENERATION = 8;
    private static final String UNFINISHED =
            "SELECT id FROM tasks WHERE status IN ('pending', 'queued', 'running')";

    private final Path file;
    private final Connection connection;
    private final int version;

    StoredState(Path file, Connection connection, int version) {
        this.file = file;
        this.connection = connection;
        this.version = version;
    }

    /** Empty if the schema is older than generations. */
    public Optional<Generation> generation() throws StoreFailure {
        if (version < FIRST_WITH_GENERATION) {
            return Optional.empty();
        }
        return rows(
                        "SELECT coalesce(database_id, ''), epoch, coalesce(commits, 0),"
                                + " coalesce(last_task, 0) FROM server",
                        row ->
                                new Generation(
                                        row.getString(1),
                                        row.getLong(2),
                                        row.getLong(3),
                                        row.getLong(4)))
                .stream()
                .findFirst();
    }

    /** When this copy was made, if it is a backup. */
    public Optional<Instant> backupAt() throws StoreFailure {
        return version < FIRST_WITH_BACKUP_MARK
                ? Optional.empty()
                : number("SELECT backup_at FROM server").map(Micros::instant);
    }

    @Override
    public long lastTask() throws StoreFailure {
        return number("SELECT last_task FROM server").orElse(0L);
    }

    @Override
    public List<Long> unfinishedTasks() throws StoreFailure {
        return rows(UNFINISHED, row -> row.getLong(1));
    }

    @Override
    public List<Long> unfinishedTasksUpTo(long id) throws StoreFailure {
        return rows(UNFINISHED + " AND id <= " + id, row -> row.getLong(1));
    }

    @Override
    public OptionalInt attempts(long task) throws StoreFailure {
        var count = number("SELECT attempts FROM tasks WHERE id = " + task);
        return count.isPresent()
                ? OptionalInt.of(Math.toIntExact(count.get()))
                : OptionalInt.empty();
    }

    @Override
    public boolean isLive(AttemptId id) throws StoreFailure {
        return number(
                        "SELECT 1 FROM attempt WHERE phase <> 'ended' AND task = "
                                + id.task().value()
                                + " AND number = "
                                + id.number())
                .isPresent();
    }

    private Optional<Long> number(String sql) throws StoreFailure {
        return rows(
                        sql,
                        row -> {
                            long value = row.getLong(1);
                            return row.wasNull() ? Optional.<Long>empty() : Optional.of(value);
                        })
                .stream()
                .findFirst()
                .flatMap(value -> value);
    }

    private <T> List<T> rows(String sql, RowReader<T> reader) throws StoreFailure {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            var rows = new ArrayList<T>();
            while (row.next()) {
                rows.add(reader.read(row));
            }
            return rows;
        } catch (SQLException e) {
            throw SqliteErrors.of("read", file, e);
        }
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }
}
