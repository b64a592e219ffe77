package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.EndedTasks;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the ended tasks by the index over their ends. */
record SqliteEndedTasks(ReaderPool readers) implements EndedTasks {

    private static final String RUN_HAS_ENDED =
            " AND (run IS NULL OR run NOT IN"
                    + " (SELECT id FROM run WHERE stage IN ('running', 'stopping')))";
    private static final String ORDER = " ORDER BY finished_at, id LIMIT ?";

    @Override
    public List<EndedTask> list(Selection selection, Position after, int limit)
            throws StoreFailure {
        var sql =
                "SELECT id, finished_at, owner_principal, owner_name FROM tasks WHERE finished_at"
                        + " IS NOT NULL AND (finished_at, id) > (?, ?)"
                        + conditions(selection)
                        + ORDER;
        return readers.read(
                "list ended tasks",
                session -> {
                    var statement =
                            session.prepared(sql).add(Micros.of(after.endedAt())).add(after.id());
                    try (var row = bind(statement, selection).add(limit).query()) {
                        return read(row);
                    }
                });
    }

    @Override
    public long count(Selection selection) throws StoreFailure {
        var sql =
                "SELECT count(*) AS count FROM tasks WHERE finished_at IS NOT NULL"
                        + conditions(selection);
        return readers.read(
                "count ended tasks",
                session -> {
                    try (var row = bind(session.prepared(sql), selection).query()) {
                        return row.next() ? row.number(row.column("count")) : 0;
                    }
                });
    }

    private static List<EndedTask> read(ResultRow row) throws SQLException {
        var tasks = new ArrayList<EndedTask>();
        var id = row.column("id");
        var end = row.column("finished_at");
        var principal = row.column("owner_principal");
        var name = row.column("owner_name");
        while (row.next()) {
            var owner = new Owner(row.text(principal), row.text(name));
            tasks.add(new EndedTask(new TaskId(row.number(id)), owner, row.time(end)));
        }
        return tasks;
    }

    /** The conditions in the order of {@link #bind}. */
    private static String conditions(Selection selection) {
        var sql = new StringBuilder();
        if (!selection.states().equals(ALL_STATES)) {
            sql.append(
                    selection.states().stream()
                            .map(_ -> "?")
                            .collect(Collectors.joining(", ", " AND status IN (", ")")));
        }
        selection.endedBefore().ifPresent(_ -> sql.append(" AND finished_at < ?"));
        selection.owner().ifPresent(_ -> sql.append(" AND owner_name = ?"));
        selection.name().ifPresent(_ -> sql.append(" AND name GLOB ?"));
        return sql.append(RUN_HAS_ENDED).toString();
    }

    private static Parameters bind(Parameters statement, Selection selection) throws SQLException {
        if (!selection.states().equals(ALL_STATES)) {
            for (var state : selection.states()) {
                statement.add(state);
            }
        }
        if (selection.endedBefore().isPresent()) {
            Instant time = selection.endedBefore().get();
            statement.add(Micros.of(time));
        }
        if (selection.owner().isPresent()) {
            statement.add(selection.owner().get());
        }
        if (selection.name().isPresent()) {
            // Only * and ? are special in a name.
            statement.add(selection.name().get().replace("[", "[[]"));
        }
        return statement;
    }
}
