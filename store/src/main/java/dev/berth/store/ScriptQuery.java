package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the texts of scripts. */
final class ScriptQuery {

    private static final String SCRIPTS =
            "SELECT "
                    + ScriptRow.TABLE.columnsOf("s")
                    + ", t.id AS id, t.work_dir AS work_dir"
                    + " FROM tasks t JOIN script s ON s.task = t.id"
                    + " WHERE t.id BETWEEN ? AND ? ORDER BY t.id";

    private ScriptQuery() {}

    /**
     * @param last inclusive: the highest id has no successor
     */
    static SortedMap<TaskId, Script.Text> read(SqlSession session, long first, long last)
            throws SQLException {
        try (var row = session.prepared(SCRIPTS).add(first).add(last).query()) {
            var scripts = new TreeMap<TaskId, Script.Text>();
            var id = row.column("id");
            var workDir = row.column("work_dir");
            var shells = new HashMap<String, ShellContext>();
            while (row.next()) {
                scripts.put(
                        new TaskId(row.number(id)),
                        ScriptRow.read(row, row.text(workDir), shell(session, row, shells)));
            }
            return scripts;
        }
    }

    /**
     * @param known those of the scripts before: most scripts have the same
     */
    private static Optional<ShellContext> shell(
            SqlSession session, ResultRow row, Map<String, ShellContext> known)
            throws SQLException {
        var key = ScriptRow.shell(row);
        if (key.isEmpty()) {
            return Optional.empty();
        }
        if (!known.containsKey(key.get())) {
            var found = ShellRow.find(session, key.get());
            if (found.isEmpty()) {
                throw new SQLException("a script refers to a shell that is not stored");
            }
            known.put(key.get(), found.get());
        }
        return Optional.ofNullable(known.get(key.get()));
    }
}
