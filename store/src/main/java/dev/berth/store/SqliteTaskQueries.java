package dev.berth.store;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.UserUsage;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads of the database beside its writer, from any number of threads. */
public final class SqliteTaskQueries implements TaskQueries, AutoCloseable {

    private static final int FEWEST_READERS = 2;
    private static final int MOST_READERS = 4;

    private static final String TASKS =
            Sql.select(
                    Stream.concat(
                                    Sql.of("t", TaskRow.COLUMNS).stream(),
                                    Sql.of("a", AttemptRow.COLUMNS).stream())
                            .toList(),
                    // A task counts its attempts, so the count is the number of the latest.
                    "FROM tasks t LEFT JOIN attempt a ON a.task = t.id AND a.number = t.attempts");
    private static final String CLAIMS_OF =
            Sql.select(Sql.of("c", ClaimRow.COLUMNS), "FROM (SELECT t.id, t.attempts FROM tasks t");
    private static final String CLAIMS_OF_THESE =
            ") t JOIN claim c ON c.task = t.id AND c.number = t.attempts"
                    + " ORDER BY t.id DESC, c.place";

    private static final String ATTEMPTS =
            Sql.select(AttemptRow.COLUMNS, "FROM attempt WHERE task = ? ORDER BY number");
    private static final String CLAIMS =
            Sql.select(ClaimRow.COLUMNS, "FROM claim WHERE task = ? ORDER BY number, place");
    private static final String EVENTS =
            Sql.select(EventRow.COLUMNS, "FROM event WHERE seq > ? ORDER BY seq LIMIT ?");

    /** In the words of the index over alerts, so that it is used. */
    private static final String ALERTS =
            Sql.select(
                    EventRow.COLUMNS,
                    "FROM event WHERE kind >= 'alert.' AND kind < 'alert/' AND seq < ?"
                            + " ORDER BY seq DESC LIMIT ?");

    private static final String RUNS =
            Sql.select(RunRow.COLUMNS, "FROM run ORDER BY id DESC LIMIT ?");

    private final Readers readers;

    public SqliteTaskQueries(Database database) {
        int cores = Runtime.getRuntime().availableProcessors();
        this.readers = new Readers(database, Math.clamp(cores, FEWEST_READERS, MOST_READERS));
    }

    @Override
    public Optional<TaskRecord> find(TaskId id) throws StoreFailure {
        var only = Choice.one(id);
        return readers.read(
                "find task " + id, session -> records(session, only).stream().findFirst());
    }

    @Override
    public List<TaskRecord> list(Filter filter, Page page) throws StoreFailure {
        var choice = Choice.newestFirst(filter, page);
        return readers.read("list tasks", session -> records(session, choice));
    }

    @Override
    public long count(Filter filter) throws StoreFailure {
        var choice = Choice.all(filter);
        return readers.read(
                "count tasks",
                session -> {
                    try (var row = choice.query(session, "SELECT count(*) FROM tasks t", "")) {
                        return row.next() ? row.number() : 0;
                    }
                });
    }

    @Override
    public List<LaneRun> runs(int limit) throws StoreFailure {
        return readers.read(
                "list runs",
                session -> {
                    try (var row = session.prepared(RUNS).number(limit).query()) {
                        return RunRow.readAll(row);
                    }
                });
    }

    @Override
    public List<Attempt> attempts(TaskId id) throws StoreFailure {
        return readers.read(
                "read the attempts of task " + id,
                session -> {
                    try (var claimRow = session.prepared(CLAIMS).number(id.value()).query();
                            var row = session.prepared(ATTEMPTS).number(id.value()).query()) {
                        return AttemptRow.readAll(row, ClaimRow.readAll(claimRow));
                    }
                });
    }

    @Override
    public List<Event> eventsAfter(long seq, int limit) throws StoreFailure {
        return events("read events", EVENTS, seq, limit);
    }

    @Override
    public List<Event> alerts(OptionalLong before, int limit) throws StoreFailure {
        return events("read alerts", ALERTS, before.orElse(Long.MAX_VALUE), limit);
    }

    private List<Event> events(String what, String sql, long seq, int limit) throws StoreFailure {
        return readers.read(
                what,
                session -> {
                    try (var row = session.prepared(sql).number(seq).number(limit).query()) {
                        var events = new ArrayList<Event>();
                        while (row.next()) {
                            events.add(EventRow.read(row));
                        }
                        return events;
                    }
                });
    }

    @Override
    public List<UserUsage> usage(Instant from, Instant to) throws StoreFailure {
        return readers.read("sum up usage", session -> UserUsages.read(session, from, to));
    }

    @Override
    public void close() {
        readers.close();
    }

    private static List<TaskRecord> records(Session session, Choice choice) throws SQLException {
        Map<AttemptId, List<Claim>> claims;
        try (var row = choice.query(session, CLAIMS_OF, CLAIMS_OF_THESE)) {
            claims = ClaimRow.readAll(row);
        }
        try (var row = choice.query(session, TASKS, "")) {
            var records = new ArrayList<TaskRecord>();
            while (row.next()) {
                var task = TaskRow.read(row);
                boolean started = row.optionalNumber().isPresent();
                var latest =
                        started
                                ? Optional.of(AttemptRow.read(task.id(), row, claims))
                                : Optional.<Attempt>empty();
                records.add(new TaskRecord(task, latest));
            }
            return records;
        }
    }

    /** Which tasks {@code t}, in what order and how many, as SQL that follows a FROM clause. */
    private record Choice(String sql, List<Value> values) {

        static Choice one(TaskId id) {
            return new Choice(" WHERE t.id = ?", List.of(places -> places.number(id.value())));
        }

        static Choice all(Filter filter) {
            return of(filter, Page.WHOLE);
        }

        static Choice newestFirst(Filter filter, Page page) {
            var chosen = of(filter, page);
            var sql = chosen.sql + " ORDER BY t.id DESC";
            if (page.limit().isEmpty()) {
                return new Choice(sql, chosen.values);
            }
            Value limit = places -> places.number(page.limit().getAsInt());
            return new Choice(
                    sql + " LIMIT ?",
                    Stream.concat(chosen.values.stream(), Stream.of(limit)).toList());
        }

        private static Choice of(Filter filter, Page page) {
            var conditions = new ArrayList<String>();
            var values = new ArrayList<Value>();
            if (filter.status().isPresent()) {
                conditions.add("t.status = ?");
                values.add(places -> places.text(filter.status()));
            }
            if (filter.source().isPresent()) {
                // There are few sources: beside a status, their index must not be preferred.
                conditions.add(filter.status().isPresent() ? "t.source || '' = ?" : "t.source = ?");
                values.add(places -> places.text(filter.source().map(Words::of)));
            }
            if (page.before().isPresent()) {
                conditions.add("t.id < ?");
                values.add(places -> places.number(page.before().get().value()));
            }
            var where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
            return new Choice(where, values);
        }

        Fields query(Session session, String before, String after) throws SQLException {
            var statement = session.prepared(before + sql + after);
            for (var value : values) {
                value.fill(statement);
            }
            return statement.query();
        }
    }

    /** What belongs into the next place of a statement. */
    private interface Value {
        void fill(Params places) throws SQLException;
    }
}
