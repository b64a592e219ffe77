package dev.berth.store;

import dev.berth.core.id.AttemptId;

import java.sql.Connection;
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
public final class StoredState {

    static final int FIRST_WITH_BACKUP_MARK = 7;

    private static final int FIRST_WITH_GENERATION = 8;
    private static final String UNFINISHED =
            "SELECT id FROM tasks WHERE status IN ('pending', 'queued', 'running')";

    private final Connection connection;
    private final int version;

    StoredState(Connection connection, int version) {
        this.connection = connection;
        this.version = version;
    }

    /** Empty if the schema is older than generations. */
    public Optional<Generation> generation() throws SQLException {
        if (version < FIRST_WITH_GENERATION) {
            return Optional.empty();
        }
        try (var statement = connection.createStatement();
                var row =
                        statement.executeQuery(
                                "SELECT coalesce(database_id, ''), epoch, coalesce(commits, 0),"
                                        + " coalesce(last_task, 0) FROM server")) {
            return row.next()
                    ? Optional.of(
                            new Generation(
                                    row.getString(1),
                                    row.getLong(2),
                                    row.getLong(3),
                                    row.getLong(4)))
                    : Optional.empty();
        }
    }

    /** When this copy was made, if it is a backup. */
    public Optional<Instant> backupAt() throws SQLException {
        if (version < FIRST_WITH_BACKUP_MARK) {
            return Optional.empty();
        }
        var micros = number("SELECT backup_at FROM server");
        return micros.isPresent() ? Optional.of(Micros.instant(micros.get())) : Optional.empty();
    }

    /** The highest task id that was ever used; 0 if there was none. */
    public long lastTask() throws SQLException {
        return number("SELECT last_task FROM server").orElse(0L);
    }

    /** The ids of all tasks that have not ended. */
    public List<Long> unfinishedTasks() throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(UNFINISHED)) {
            var ids = new ArrayList<Long>();
            while (row.next()) {
                ids.add(row.getLong(1));
            }
            return ids;
        }
    }

    /** How many attempts the task has had; empty if the task is not known. */
    public OptionalInt attempts(long task) throws SQLException {
        var count = number("SELECT attempts FROM tasks WHERE id = " + task);
        return count.isPresent()
                ? OptionalInt.of(Math.toIntExact(count.get()))
                : OptionalInt.empty();
    }

    /** True if the attempt is known and has not ended. */
    public boolean isLive(AttemptId id) throws SQLException {
        return number(
                        "SELECT 1 FROM attempt WHERE phase <> 'ended' AND task = "
                                + id.task().value()
                                + " AND number = "
                                + id.number())
                .isPresent();
    }

    private Optional<Long> number(String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            if (!row.next()) {
                return Optional.empty();
            }
            long value = row.getLong(1);
            return row.wasNull() ? Optional.empty() : Optional.of(value);
        }
    }
}
