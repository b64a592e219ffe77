package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Script;

import java.sql.SQLException;

/** The text of a task's script as a row of {@code script}. */
final class ScriptRow {

    static final SqlTable TABLE = SqlTable.checked("script");

    private static final Column TASK = TABLE.key("task");
    private static final Column ENVIRONMENT = TABLE.column("environment");
    private static final Column COMMAND = TABLE.column("command");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private ScriptRow() {}

    static void save(SqlSession session, TaskId task, Script.Text script) throws SQLException {
        session.prepared(UPSERT)
                .set(TASK, task.value())
                .set(ENVIRONMENT, JsonText.of(script.environment()))
                .set(COMMAND, script.command())
                .run();
    }

    /**
     * @param workDir which is in the row of the task
     */
    static Script.Text read(ResultRow row, String workDir) throws SQLException {
        return new Script.Text(row.text(COMMAND), workDir, JsonText.read(row.text(ENVIRONMENT)));
    }
}
