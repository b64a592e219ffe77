package dev.berth.store;

import dev.berth.core.id.TaskId;

import java.sql.SQLException;
import java.util.Optional;

/** What a worker answered, as a row of {@code call_result}. */
final class CallResultRow {

    static final SqlTable TABLE = SqlTable.checked("call_result");

    private static final Column TASK = TABLE.key("task");
    private static final Column VALUE = TABLE.column("value");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String SELECT = TABLE.select() + " WHERE task = ?";

    private CallResultRow() {}

    static void save(SqlSession session, TaskId task, String value) throws SQLException {
        session.prepared(UPSERT).set(TASK, task.value()).set(VALUE, value).run();
    }

    static Optional<String> read(SqlSession session, TaskId task) throws SQLException {
        try (var row = session.prepared(SELECT).add(task.value()).query()) {
            return row.next() ? Optional.of(row.text(VALUE)) : Optional.empty();
        }
    }
}
