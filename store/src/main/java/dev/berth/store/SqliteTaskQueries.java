package dev.berth.store;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.predict.PastRun;
import dev.berth.core.predict.RunKind;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Script;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.EndedRuns;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.GpuRun;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads the database concurrently with its writer, from any number of threads. */
public final class SqliteTaskQueries implements TaskQueries, EndedRuns, AutoCloseable {

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

    private static final String IDS = "SELECT t.id AS id FROM tasks t";
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

    /** The condition equals that of the partial index over removals. */
    private static final String REMOVALS =
            EventRow.TABLE.select("WHERE kind = 'tasks.removed' ORDER BY seq DESC");

    private static final String RUNS = FileRunRow.TABLE.select("ORDER BY id DESC LIMIT ?");

    private final ReaderPool readers;
    private final UsageCache usage = new UsageCache();

    public SqliteTaskQueries(Database database) {
        int cores = Runtime.getRuntime().availableProcessors();
        this.readers = new ReaderPool(database, Math.clamp(cores, MIN_READERS, MAX_READERS));
    }

    @Override
    public long epoch() throws StoreFailure {
        return readers.read("read the epoch", session -> ServerRow.read(session).epoch());
    }

    @Override
    public Optional<TaskRecord> find(TaskId id) throws StoreFailure {
        return readers.read("find task " + id, session -> find(session, id));
    }

    private static Optional<TaskRecord> find(SqlSession session, TaskId id) throws SQLException {
        var script = ScriptQuery.read(session, id.value(), id.value()).get(id);
        return records(session, TaskChoice.one(id)).stream()
                .findFirst()
                .map(one -> script == null ? one : one.with(script));
    }

    @Override
    public Optional<WholeTask> findWhole(TaskId id) throws StoreFailure {
        return readers.read(
                "read task " + id,
                session -> {
                    var found = find(session, id);
                    return found.isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    new WholeTask(
                                            found.get(),
                                            attempts(session, found.get()),
                                            CallResultRow.read(session, id)));
                });
    }

    /** The first attempt of a task that has no other was read with the task. */
    private static List<Attempt> attempts(SqlSession session, TaskRecord found)
            throws SQLException {
        return found.task().attempts() > 1
                ? attempts(session, found.task().id())
                : found.latest().stream().toList();
    }

    @Override
    public void readEndedRuns(int maxTasks, BiConsumer<RunKind, PastRun> consumer)
            throws StoreFailure {
        readers.read(
                "read ended runs",
                session -> {
                    EndedRunsQuery.read(session, maxTasks, consumer);
                    return maxTasks;
                });
    }

    @Override
    public SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) throws StoreFailure {
        return readers.read(
                "read scripts",
                session -> ScriptQuery.read(session, first.value(), end.value() - 1));
    }

    @Override
    public List<TaskRecord> list(Filter filter, Page page) throws StoreFailure {
        var choice = TaskChoice.ordered(filter, page);
        return readers.read("list tasks", session -> records(session, choice));
    }

    @Override
    public List<TaskId> ids(Filter filter, Page page) throws StoreFailure {
        var choice = TaskChoice.ordered(filter, page);
        return readers.read(
                "list the ids of tasks",
                session -> {
                    try (var row = choice.query(session, IDS, "")) {
                        var ids = new ArrayList<TaskId>();
                        while (row.next()) {
                            ids.add(new TaskId(row.number(row.column("id"))));
                        }
                        return ids;
                    }
                });
    }

    @Override
    public List<TaskRecord> list(Filter filter, List<TaskId> ids) throws StoreFailure {
        var choice = TaskChoice.among(filter, ids);
        var found =
                readers.read("list tasks by id", session -> records(session, choice)).stream()
                        .collect(Collectors.toMap(one -> one.task().id(), Function.identity()));
        return ids.stream().map(found::get).filter(Objects::nonNull).toList();
    }

    @Override
    public long count(Filter filter) throws StoreFailure {
        return readers.read(
                "count tasks",
                session ->
                        count(session, TaskChoice.counted(filter))
                                - (filter.source().isEmpty()
                                        ? count(session, TaskChoice.workers(filter))
                                        : 0));
    }

    @Override
    public long countFollowing(Filter filter, TaskOrder order, TaskId last) throws StoreFailure {
        var choice = TaskChoice.following(filter, order, last);
        return readers.read("count tasks", session -> count(session, choice));
    }

    private static long count(SqlSession session, TaskChoice choice) throws SQLException {
        try (var row = choice.query(session, COUNT, "")) {
            return row.next() ? row.number(row.column("count")) : 0;
        }
    }

    @Override
    public Optional<String> result(TaskId id) throws StoreFailure {
        return readers.read("read a result", session -> CallResultRow.read(session, id));
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
        return readers.read("read the attempts of task " + id, session -> attempts(session, id));
    }

    private static List<Attempt> attempts(SqlSession session, TaskId id) throws SQLException {
        try (var claimRow = session.prepared(CLAIMS).add(id.value()).query();
                var row = session.prepared(ATTEMPTS).add(id.value()).query()) {
            return AttemptRow.readAll(row, ClaimRow.readAll(claimRow));
        }
    }

    @Override
    public List<Event> eventsAfter(long seq, int limit) throws StoreFailure {
        return events("read events", EVENTS, seq, limit);
    }

    @Override
    public List<Event> audit(AuditFilter filter, OptionalLong before, int limit)
            throws StoreFailure {
        return readers.read(
                "read the audit",
                session -> AuditQuery.read(session, filter, before.orElse(Long.MAX_VALUE), limit));
    }

    @Override
    public List<Event> alerts(OptionalLong before, int limit) throws StoreFailure {
        return events("read alerts", ALERTS, before.orElse(Long.MAX_VALUE), limit);
    }

    @Override
    public Optional<Event> removal(TaskId id) throws StoreFailure {
        return readers.read("find who removed task " + id, session -> removal(session, id));
    }

    /** One event covers many tasks, so there are few such events. */
    private static Optional<Event> removal(SqlSession session, TaskId id) throws SQLException {
        try (var row = session.prepared(REMOVALS).query()) {
            while (row.next()) {
                var event = EventRow.read(row);
                if (event.payload() instanceof TaskPayload.TasksRemoved(var tasks)
                        && tasks.contains(id)) {
                    return Optional.of(event);
                }
            }
            return Optional.empty();
        }
    }

    /** The tasks that may be removed. */
    public EndedTasks endedTasks() {
        return new SqliteEndedTasks(readers);
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
        return readers.read("sum up usage", session -> usage.usage(session, from, to));
    }

    @Override
    public List<GpuRun> gpuRuns(Instant from, Instant to, int limit) throws StoreFailure {
        return readers.read(
                "list ended runs", session -> GpuRunQuery.read(session, from, to, limit));
    }

    @Override
    public void close() {
        readers.close();
    }

    private static List<TaskRecord> records(SqlSession session, TaskChoice choice)
            throws SQLException {
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
}
