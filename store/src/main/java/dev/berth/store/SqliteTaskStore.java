package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;
import dev.berth.port.TaskStore;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Writes the engine's commits: one connection, one thread, one durable transaction per commit. */
public final class SqliteTaskStore implements TaskStore, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteTaskStore.class);

    // What is not known to have ended is live: a damaged word then selects the row, and its
    // checksum refuses it. These scan the tables, so that a damaged index cannot hide a row.
    private static final String LIVE_TASKS =
            TaskRow.TABLE.select(
                    "WHERE status NOT IN ('completed', 'failed', 'cancelled') ORDER BY id");
    private static final String LIVE_ATTEMPTS =
            AttemptRow.TABLE.select("WHERE phase || '' <> 'ended' ORDER BY task, number");
    private static final String LIVE_CLAIMS =
            ClaimRow.TABLE.select("WHERE live + 0 <> 0 ORDER BY task, number, place");
    private static final String SELECT_GPUS = GpuRow.TABLE.select("ORDER BY node, uuid");
    private static final String KEYS = SubmitKeyRow.TABLE.select();
    private static final String TOKENS = TokenRow.TABLE.select("ORDER BY id");
    private static final String USAGE = UsageRow.TABLE.select();
    private static final String RUNS =
            FileRunRow.TABLE.select("WHERE stage NOT IN ('finished', 'stopped') ORDER BY id");
    private static final String FAULTS = GpuFaultRow.TABLE.select("ORDER BY node, uuid");
    private static final String ESTIMATES = EstimateRow.TABLE.select();
    private static final String MODELS = ModelRow.TABLE.select();
    private static final String LAST_RESERVATION =
            ReservationRow.TABLE.select("ORDER BY id DESC LIMIT 1");
    private static final String LAST_RUN = FileRunRow.TABLE.select("ORDER BY id DESC LIMIT 1");
    private static final String LAST_EVENT = EventRow.TABLE.select("ORDER BY seq DESC LIMIT 1");

    private final Database database;
    private final StoreGuard guard;
    private @Nullable SqlSession session;
    private @Nullable ServerRow server;

    /** Set while a new connection finds an older database, or one of another home. */
    private volatile Optional<StoreFailure> mismatch = Optional.empty();

    /** Without a guard. */
    public SqliteTaskStore(Database database) {
        this(database, StoreGuard.NONE);
    }

    public SqliteTaskStore(Database database, StoreGuard guard) {
        this.database = database;
        this.guard = guard;
    }

    @Override
    public Loaded open() throws StoreFailure {
        var opened = transact("open", SqliteTaskStore::load);
        stored(opened.server());
        return opened.loaded();
    }

    @Override
    public void commit(List<Change> changes) throws StoreFailure {
        var before = server;
        if (before == null) {
            throw new IllegalStateException("commit before open");
        }
        var batch = new ChangeBatch(changes);
        var advanced = before.advancedBy(batch.tasks(), batch.scheduler());
        var after = database.isAllChecked() ? advanced.allChecked() : advanced;
        boolean isCurrentEpoch =
                transact(
                        "keep " + changes.size() + " changes",
                        inside -> {
                            if (!after.save(inside)) {
                                return false;
                            }
                            batch.save(inside);
                            return true;
                        });
        if (!isCurrentEpoch) {
            throw new StoreFailure(
                    StoreFailure.Kind.FENCED,
                    "another server has opened this home; this one had epoch " + before.epoch());
        }
        stored(after);
    }

    private void stored(ServerRow now) {
        server = now;
        guard.generation().ifPresent(file -> file.write(now.generation()));
    }

    @Override
    public Optional<StoreFailure> problem() {
        return guard.held().problem().or(() -> mismatch);
    }

    @Override
    public Optional<Script.Text> script(TaskId task) throws StoreFailure {
        long id = task.value();
        return transact(
                "read the script of task " + task,
                inside -> Optional.ofNullable(ScriptQuery.read(inside, id, id).get(task)));
    }

    @Override
    public void close() {
        discard();
    }

    private <T> T transact(String doing, Work<T> work) throws StoreFailure {
        boolean isReusable = false;
        try {
            var current = session;
            boolean isNew = current == null;
            if (current == null) {
                current = openSession();
            }
            T result = work.in(current);
            if (isNew) {
                guard.held().rememberLog();
            }
            // Last before the commit: what is removed later could as well be removed after the
            // acknowledgement.
            var removed = guard.held().problem();
            if (removed.isPresent()) {
                // The session stays open, because it holds the right files. A new one could combine
                // another log with the shared memory that the readers use.
                current.rollback();
                isReusable = true;
                throw removed.get();
            }
            current.commit();
            isReusable = true;
            return result;
        } catch (SQLException e) {
            if (SqliteErrors.isConstraintViolation(e)) {
                throw new IllegalStateException("the schema forbids to " + doing, e);
            }
            throw database.failure(doing, e);
        } finally {
            if (!isReusable) {
                // After some errors SQLite has rolled back by itself, after others not. A new
                // session starts from a known state.
                discard();
            }
        }
    }

    private SqlSession openSession() throws SQLException, StoreFailure {
        var removed = guard.held().problem();
        if (removed.isPresent()) {
            throw removed.get();
        }
        var opened = database.openWriter();
        session = opened;
        requireSameDatabase(opened);
        return opened;
    }

    /** A new connection may find another file, or one that has lost its log. */
    private void requireSameDatabase(SqlSession current) throws SQLException, StoreFailure {
        var before = server;
        if (before == null) {
            return;
        }
        var known = before.generation();
        var found = ServerRow.read(current).generation();
        if (!found.databaseId().equals(known.databaseId()) || found.commits() < known.commits()) {
            var failure =
                    new StoreFailure(
                            StoreFailure.Kind.REMOVED,
                            database.file()
                                    + " is older than this server, or belongs to another home: it"
                                    + " has "
                                    + found.commits()
                                    + " commits, the last one was "
                                    + known.commits());
            mismatch = Optional.of(failure);
            throw failure;
        }
        mismatch = Optional.empty();
    }

    private void discard() {
        guard.held().forgetLog();
        var old = session;
        session = null;
        if (old == null) {
            return;
        }
        try {
            old.close();
        } catch (SQLException e) {
            LOG.warn("a connection to the database could not be closed", e);
        }
    }

    /** A damaged row ends the transaction, so that nothing is changed. */
    private static Opened load(SqlSession session) throws SQLException {
        var server = ServerRow.raiseEpoch(session);
        return new Opened(server, loaded(session, server));
    }

    private static Loaded loaded(SqlSession session, ServerRow server) throws SQLException {
        return new Loaded(
                server.epoch(),
                liveTasks(session),
                liveAttempts(session),
                gpus(session),
                keys(session),
                tokens(session),
                new StoredShares(
                        usage(session),
                        GroupsRow.readAll(session),
                        ReservationRow.readCurrent(session)),
                server.scheduler(),
                runs(session),
                faults(session),
                new StoredModels(estimates(session), models(session)),
                new LastUsed(
                        server.lastTask(),
                        server.lastCreatedAt(),
                        last(session, LAST_EVENT, EventRow.SEQ),
                        last(session, LAST_RUN, FileRunRow.ID),
                        last(session, LAST_RESERVATION, ReservationRow.ID)));
    }

    private static List<Task> liveTasks(SqlSession session) throws SQLException {
        try (var row = session.prepared(LIVE_TASKS).query()) {
            var tasks = new ArrayList<Task>();
            while (row.next()) {
                tasks.add(TaskRow.read(row));
            }
            return tasks;
        }
    }

    private static List<Attempt> liveAttempts(SqlSession session) throws SQLException {
        try (var claimRow = session.prepared(LIVE_CLAIMS).query();
                var row = session.prepared(LIVE_ATTEMPTS).query()) {
            return AttemptRow.readAll(row, ClaimRow.readAll(claimRow));
        }
    }

    private static List<Model> models(SqlSession session) throws SQLException {
        try (var row = session.prepared(MODELS).query()) {
            return ModelRow.readAll(row);
        }
    }

    private static List<Gpu> gpus(SqlSession session) throws SQLException {
        try (var row = session.prepared(SELECT_GPUS).query()) {
            var gpus = new ArrayList<Gpu>();
            while (row.next()) {
                gpus.add(GpuRow.read(row));
            }
            return gpus;
        }
    }

    private static SortedMap<SubmitKey, SubmitKeyUse> keys(SqlSession session) throws SQLException {
        try (var row = session.prepared(KEYS).query()) {
            return SubmitKeyRow.readAll(row);
        }
    }

    private static List<Token> tokens(SqlSession session) throws SQLException {
        try (var row = session.prepared(TOKENS).query()) {
            var tokens = new ArrayList<Token>();
            while (row.next()) {
                tokens.add(TokenRow.read(row));
            }
            return tokens;
        }
    }

    private static SortedMap<String, GpuUsage.Account> usage(SqlSession session)
            throws SQLException {
        try (var row = session.prepared(USAGE).query()) {
            return UsageRow.readAll(row);
        }
    }

    private static List<FileRun> runs(SqlSession session) throws SQLException {
        try (var row = session.prepared(RUNS).query()) {
            return FileRunRow.readAll(row);
        }
    }

    private static List<GpuFault> faults(SqlSession session) throws SQLException {
        try (var row = session.prepared(FAULTS).query()) {
            var faults = new ArrayList<GpuFault>();
            while (row.next()) {
                faults.add(GpuFaultRow.read(row));
            }
            return faults;
        }
    }

    private static SortedMap<String, Long> estimates(SqlSession session) throws SQLException {
        try (var row = session.prepared(ESTIMATES).query()) {
            return EstimateRow.readAll(row);
        }
    }

    private static long last(SqlSession session, String query, Column id) throws SQLException {
        try (var row = session.prepared(query).query()) {
            return row.next() ? row.number(id) : 0;
        }
    }

    private record Opened(ServerRow server, Loaded loaded) {}

    /** The statements of one transaction. */
    private interface Work<T> {
        T in(SqlSession session) throws SQLException;
    }
}
