package dev.berth.store;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads the database concurrently with its writer, from any number of threads. */
public final class SqliteTaskQueries implements TaskQueries, AutoCloseable {

    private static final int MIN_READERS = 2;
    private static final int MAX_READERS = 4;

    private static final String TASKS =
            "SELECT "
                    + TaskRow.TABLE.columnsOf("t")
                    + ", "
                    + AttemptRow.TABLE.columnsOf("a")
                    // A task counts its attempts, so the count is the number of the latest.
                    + " FROM tasks t LEFT JOIN attempt a"
                    + " ON a.task = t.id AND a.number = t.attempts";
    private static final String CLAIMS_OF_CHOICE =
            "SELECT "
                    + ClaimRow.TABLE.columnsOf("c")
                    + " FROM (SELECT t.id, t.attempts FROM tasks t";
    private static final String CLAIMS_OF_CHOICE_END =
            ") t JOIN claim c ON c.task = t.id AND c.number = t.attempts"
                    + " ORDER BY t.id DESC, c.place";

    private static final String COUNT = "SELECT count(*) AS count FROM tasks t";
    private static final String ATTEMPTS =
            AttemptRow.TABLE.select("WHERE task = ? ORDER BY number");
    private static final String CLAIMS =
            ClaimRow.TABLE.select("WHERE task = ? ORDER BY number, place");
    private static final String EVENTS =
            EventRow.TABLE.select("WHERE seq > ? ORDER BY seq LIMIT ?");

    /** The condition equals that of the partial index over alerts, so that SQLite uses it. */
    private static final String ALERTS =
            EventRow.TABLE.select(
                    "WHERE kind >= 'alert.' AND kind < 'alert/' AND seq < ?"
                            + " ORDER BY seq DESC LIMIT ?");

    private static final String RUNS = FileRunRow.TABLE.select("ORDER BY id DESC LIMIT ?");

    private final ReaderPool readers;

    public SqliteTaskQueries(Database database) {
        int cores = Runtime.getRuntime().availableProcessors();
        this.readers = new ReaderPool(database, Math.clamp(cores, MIN_READERS, MAX_READERS));
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
                    try (var row = choice.query(session, COUNT, "")) {
                        return row.next() ? row.number(row.column("count")) : 0;
                    }
                });
    }

    @Override
    public List<FileRun> fileRuns(int limit) throws StoreFailure {
        return readers.read(
                "list runs",
                session -> {
                    try (var row = session.prepared(RUNS).add(limit).query()) {
                        return FileRunRow.readAll(row);
                    }
                });
    }

    @Override
    public List<Attempt> attempts(TaskId id) throws StoreFailure {
        return readers.read(
                "read the attempts of task " + id,
                session -> {
                    try (var claimRow = session.prepared(CLAIMS).add(id.value()).query();
                            var row = session.prepared(ATTEMPTS).add(id.value()).query()) {
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
                    try (var row = session.prepared(sql).add(seq).add(limit).query()) {
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
        return readers.read("sum up usage", session -> UserUsageQuery.read(session, from, to));
    }

    @Override
    public void close() {
        readers.close();
    }

    private static List<TaskRecord> records(SqlSession session, Choice choice) throws SQLException {
        Map<AttemptId, List<Claim>> claims;
        try (var row = choice.query(session, CLAIMS_OF_CHOICE, CLAIMS_OF_CHOICE_END)) {
            claims = ClaimRow.readAll(row);
        }
        try (var row = choice.query(session, TASKS, "")) {
            var records = new ArrayList<TaskRecord>();
            var attemptRow = row.after(TaskRow.TABLE);
            while (row.next()) {
                var latest = AttemptRow.readJoined(attemptRow, claims);
                records.add(new TaskRecord(TaskRow.read(row), latest));
            }
            return records;
        }
    }

    /** Selects, orders and limits tasks {@code t}: SQL that follows a FROM clause. */
    private record Choice(String sql, List<BoundValue> values) {

        static Choice one(TaskId id) {
            return new Choice(" WHERE t.id = ?", List.of(statement -> statement.add(id.value())));
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
            BoundValue limit = statement -> statement.add(page.limit().getAsInt());
            return new Choice(
                    sql + " LIMIT ?",
                    Stream.concat(chosen.values.stream(), Stream.of(limit)).toList());
        }

        private static Choice of(Filter filter, Page page) {
            var conditions = new ArrayList<String>();
            var values = new ArrayList<BoundValue>();
            if (filter.status().isPresent()) {
                conditions.add("t.status = ?");
                values.add(statement -> statement.add(filter.status().get()));
            }
            if (filter.source().isPresent()) {
                // There are few sources, so the index over the status is the better one. The
                // expression keeps SQLite from choosing the index over the source.
                conditions.add(filter.status().isPresent() ? "t.source || '' = ?" : "t.source = ?");
                values.add(statement -> statement.add(EnumText.of(filter.source().get())));
            }
            if (page.before().isPresent()) {
                conditions.add("t.id < ?");
                values.add(statement -> statement.add(page.before().get().value()));
            }
            var where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
            return new Choice(where, values);
        }

        ResultRow query(SqlSession session, String before, String after) throws SQLException {
            var statement = session.prepared(before + sql + after);
            for (var value : values) {
                value.fill(statement);
            }
            return statement.query();
        }
    }

    /** Adds the value of one parameter. */
    private interface BoundValue {
        void fill(Parameters statement) throws SQLException;
    }
}
