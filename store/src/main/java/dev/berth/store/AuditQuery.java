package dev.berth.store;

import dev.berth.core.task.Owner;
import dev.berth.port.Event;
import dev.berth.port.read.AuditFilter;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads the events of an audit, newest first. */
final class AuditQuery {

    private final StringBuilder conditions = new StringBuilder("WHERE seq < ?");
    private final List<BoundValue> values = new ArrayList<>();

    /** Adds the value of one parameter. */
    private interface BoundValue {
        void fill(Parameters statement) throws SQLException;
    }

    private AuditQuery(AuditFilter filter, long before) {
        values.add(statement -> statement.add(before));
        if (!filter.includesBerth()) {
            // As in the partial index over what people did.
            conditions.append(" AND actor_principal <> '" + Owner.BERTH.principal() + "'");
        }
        filter.concerned()
                .map(Owner::principal)
                .ifPresent(
                        user ->
                                add(
                                        "(actor_principal = ? OR owner_principal = ?)",
                                        statement -> statement.add(user).add(user)));
        filter.actor().ifPresent(name -> add("actor_name = ?", statement -> statement.add(name)));
        filter.kind()
                .ifPresent(
                        word ->
                                add(
                                        // '/' follows '.' in ASCII.
                                        "(kind = ? OR kind >= ? AND kind < ?)",
                                        statement ->
                                                statement
                                                        .add(word)
                                                        .add(word + ".")
                                                        .add(word + "/")));
        filter.task().ifPresent(task -> add("task = ?", statement -> statement.add(task.value())));
        filter.period()
                .since()
                .ifPresent(time -> add("at >= ?", statement -> statement.add(Micros.of(time))));
        filter.period()
                .until()
                .ifPresent(time -> add("at < ?", statement -> statement.add(Micros.of(time))));
    }

    private void add(String condition, BoundValue value) {
        conditions.append(" AND ").append(condition);
        values.add(value);
    }

    static List<Event> read(SqlSession session, AuditFilter filter, long before, int limit)
            throws SQLException {
        var query = new AuditQuery(filter, before);
        var statement =
                session.prepared(
                        EventRow.TABLE.select(query.conditions + " ORDER BY seq DESC LIMIT ?"));
        for (var value : query.values) {
            value.fill(statement);
        }
        try (var row = statement.add(limit).query()) {
            var events = new ArrayList<Event>();
            while (row.next()) {
                events.add(EventRow.read(row));
            }
            return events;
        }
    }
}
