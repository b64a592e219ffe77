package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selects, orders and limits tasks {@code t}: SQL that follows a FROM clause. */
record TaskChoice(String sql, List<BoundValue> values) {

    /** Adds the value of one parameter. */
    interface BoundValue {
        void fill(Parameters statement) throws SQLException;
    }

    static TaskChoice one(TaskId id) {
        return new TaskChoice(" WHERE t.id = ?", List.of(statement -> statement.add(id.value())));
    }

    /** All that match, also the tasks of workers: their number is subtracted from a count. */
    static TaskChoice counted(Filter filter) {
        return where(conditions(filter));
    }

    /** The tasks of workers that match apart from that. */
    static TaskChoice workers(Filter filter) {
        var conditions = conditions(filter);
        conditions.add(new Condition("t.source = 'worker'"));
        return where(conditions);
    }

    private static void leaveOutWorkers(Filter filter, List<Condition> conditions) {
        if (filter.source().isEmpty()) {
            conditions.add(new Condition("t.source <> 'worker'"));
        }
    }

    /** Those of these tasks that match. */
    static TaskChoice among(Filter filter, List<TaskId> ids) {
        // One parameter, so that lists of all lengths share one prepared statement.
        var json = ids.stream().map(TaskId::toString).collect(Collectors.joining(",", "[", "]"));
        var conditions = conditions(filter);
        leaveOutWorkers(filter, conditions);
        conditions.add(
                new Condition(
                        "t.id IN (SELECT value FROM json_each(?))",
                        statement -> statement.add(json)));
        return where(conditions);
    }

    static TaskChoice ordered(Filter filter, Page page) {
        var order = page.order();
        var conditions = conditions(filter, order);
        leaveOutWorkers(filter, conditions);
        page.before()
                .ifPresent(
                        before ->
                                conditions.add(
                                        new Condition(
                                                "t.id < ?",
                                                statement -> statement.add(before.value()))));
        if (page.after().orElse(0) > 0) {
            conditions.addAll(following(order, page.after().getAsLong()));
        }
        var chosen = where(conditions).with(orderBy(order));
        return page.limit().isEmpty()
                ? chosen
                : chosen.with(" LIMIT ?", statement -> statement.add(page.limit().getAsInt()));
    }

    static TaskChoice following(Filter filter, TaskOrder order, TaskId last) {
        var conditions = conditions(filter, order);
        leaveOutWorkers(filter, conditions);
        conditions.addAll(following(order, last.value()));
        return where(conditions);
    }

    private static List<Condition> following(TaskOrder order, long id) {
        var sign = order.isDescending() ? " < " : " > ";
        BoundValue last = statement -> statement.add(id);
        if (order.key() == TaskOrder.Key.ID) {
            return List.of(new Condition("t.id" + sign + "?", last));
        }
        var column = column(order.key());
        var key = key(order.key());
        // SQLite cannot seek with a pair that has a collation; the first condition lets it seek.
        return List.of(
                new Condition(
                        key
                                + (order.isDescending() ? " <= " : " >= ")
                                + ("(SELECT " + column + " FROM tasks WHERE id = ?)"),
                        last),
                new Condition(
                        ("(" + key + ", t.id)" + sign)
                                + ("(SELECT " + column + ", id FROM tasks WHERE id = ?)"),
                        last));
    }

    private static String orderBy(TaskOrder order) {
        var direction = order.isDescending() ? " DESC" : "";
        return order.key() == TaskOrder.Key.ID
                ? " ORDER BY t.id" + direction
                : " ORDER BY " + key(order.key()) + direction + ", t.id" + direction;
    }

    private static String key(TaskOrder.Key key) {
        return "t." + column(key) + (key == TaskOrder.Key.NAME ? " COLLATE NOCASE" : "");
    }

    private static String column(TaskOrder.Key key) {
        return switch (key) {
            case ID -> "id";
            case NAME -> "name";
            case OWNER -> "owner_name";
            case END -> "finished_at";
        };
    }

    private static List<Condition> conditions(Filter filter) {
        return conditions(filter, TaskOrder.NEWEST_FIRST);
    }

    private static List<Condition> conditions(Filter filter, TaskOrder order) {
        var conditions = new ArrayList<Condition>();
        // The index over the status is in the order of ids. For another order SQLite would sort all
        // tasks of the status; the expression lets it read the index of that order instead.
        var status = order.key() == TaskOrder.Key.ID ? "t.status = ?" : "t.status || '' = ?";
        filter.status()
                .ifPresent(
                        wanted ->
                                conditions.add(
                                        new Condition(status, statement -> statement.add(wanted))));
        filter.source()
                .ifPresent(
                        source ->
                                conditions.add(
                                        new Condition(
                                                // There are few sources, so the index over the
                                                // status is the better one. The expression keeps
                                                // SQLite from choosing the index over the source.
                                                filter.status().isPresent()
                                                        ? "t.source || '' = ?"
                                                        : "t.source = ?",
                                                statement -> statement.add(EnumText.of(source)))));
        filter.owner()
                .ifPresent(
                        owner ->
                                conditions.add(
                                        new Condition(
                                                "t.owner_name = ?",
                                                statement -> statement.add(owner))));
        filter.words().forEach(word -> conditions.add(containing(word)));
        if (filter.isEnded()) {
            // As in the partial index over ends.
            conditions.add(new Condition("t.finished_at IS NOT NULL"));
        }
        return conditions;
    }

    private static Condition containing(String word) {
        var pattern =
                "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%";
        BoundValue like = statement -> statement.add(pattern);
        return new Condition(
                Stream.of("t.name", "t.owner_name", "t.gpu_type", "'#' || t.id")
                        .map(text -> text + " LIKE ? ESCAPE '\\'")
                        .collect(Collectors.joining(" OR ", "(", ")")),
                like,
                like,
                like,
                like);
    }

    private static TaskChoice where(List<Condition> conditions) {
        var sql =
                conditions.isEmpty()
                        ? ""
                        : conditions.stream()
                                .map(Condition::sql)
                                .collect(Collectors.joining(" AND ", " WHERE ", ""));
        return new TaskChoice(
                sql, conditions.stream().flatMap(one -> one.values().stream()).toList());
    }

    private TaskChoice with(String more, BoundValue... added) {
        return new TaskChoice(
                sql + more, Stream.concat(values.stream(), Stream.of(added)).toList());
    }

    ResultRow query(SqlSession session, String before, String after) throws SQLException {
        var statement = session.prepared(before + sql + after);
        for (var value : values) {
            value.fill(statement);
        }
        return statement.query();
    }

    private record Condition(String sql, List<BoundValue> values) {
        Condition(String sql, BoundValue... values) {
            this(sql, List.of(values));
        }
    }
}
