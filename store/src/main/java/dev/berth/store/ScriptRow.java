package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;

import java.sql.SQLException;
import java.util.Optional;

/** The text of a task's script as a row of {@code script}. */
final class ScriptRow {

    static final SqlTable TABLE = SqlTable.checked("script");

    private static final Column TASK = TABLE.key("task");
    private static final Column ENVIRONMENT = TABLE.column("environment");
    private static final Column COMMAND = TABLE.column("command");
    private static final Column RUN_AS_USER = TABLE.column("run_as_user");
    private static final Column RUN_AS_UID = TABLE.column("run_as_uid");
    private static final Column SHELL = TABLE.column("shell");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private ScriptRow() {}

    /**
     * @param shell the key of its row in {@code shell}
     */
    static void save(SqlSession session, TaskId task, Script.Text script, Optional<String> shell)
            throws SQLException {
        var row =
                session.prepared(UPSERT)
                        .set(TASK, task.value())
                        .set(ENVIRONMENT, JsonText.of(script.environment()))
                        .set(COMMAND, script.command())
                        .set(SHELL, shell);
        if (script.runAs().isPresent()) {
            row.set(RUN_AS_USER, script.runAs().get().user())
                    .set(RUN_AS_UID, script.runAs().get().uid());
        }
        row.run();
    }

    /** The key of the row in {@code shell}. */
    static Optional<String> shell(ResultRow row) throws SQLException {
        return row.optionalText(SHELL);
    }

    /**
     * @param workDir which is in the row of the task
     */
    static Script.Text read(ResultRow row, String workDir, Optional<ShellContext> shell)
            throws SQLException {
        return new Script.Text(
                row.text(COMMAND),
                workDir,
                JsonText.read(row.text(ENVIRONMENT)),
                runAs(row, shell));
    }

    private static Optional<RunAs> runAs(ResultRow row, Optional<ShellContext> shell)
            throws SQLException {
        var user = row.optionalText(RUN_AS_USER);
        return user.isEmpty()
                ? Optional.empty()
                : Optional.of(new RunAs(user.get(), row.smallNumber(RUN_AS_UID), shell));
    }
}
