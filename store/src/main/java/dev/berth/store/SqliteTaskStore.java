package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.task.Attempt;
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
import java.util.SortedMap;

/** Writes the engine's commits: one connection, one thread, one durable transaction per commit. */
public final class SqliteTaskStore implements TaskStore, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteTaskStore.class);

    private static final String LIVE_TASKS =
            TaskRow.TABLE.select("WHERE status IN ('pending', 'queued', 'running') ORDER BY id");
    private static final String LIVE_ATTEMPTS =
            AttemptRow.TABLE.select("WHERE phase <> 'ended' ORDER BY task, number");
    private static final String LIVE_CLAIMS =
            ClaimRow.TABLE.select(
                    "WHERE (task, number) IN (SELECT task, number FROM attempt WHERE"
                            + " phase <> 'ended') ORDER BY task, number, place");
    private static final String SELECT_GPUS = GpuRow.TABLE.select("ORDER BY node, uuid");
    private static final String KEYS = SubmitKeyRow.TABLE.select();
    private static final String TOKENS = TokenRow.TABLE.select("ORDER BY id");
    private static final String USAGE = UsageRow.TABLE.select();
    private static final String RUNS =
            FileRunRow.TABLE.select("WHERE stage IN ('running', 'stopping') ORDER BY id");
    private static final String FAULTS = GpuFaultRow.TABLE.select("ORDER BY node, uuid");
    private static final String ESTIMATES = EstimateRow.TABLE.select();
    private static final String LAST_RUN = "SELECT coalesce(max(id), 0) AS last FROM run";
    private static final String LAST_SEQ = "SELECT coalesce(max(seq), 0) AS last FROM event";

    private final Database database;
    private @Nullable SqlSession session;
    private long epoch;

    public SqliteTaskStore(Database database) {
        this.database = database;
    }

    @Override
    public Loaded open() throws StoreFailure {
        var loaded = transact("open", SqliteTaskStore::load);
        epoch = loaded.epoch();
        return loaded;
    }

    @Override
    public void commit(List<Change> changes) throws StoreFailure {
        if (epoch == 0) {
            throw new IllegalStateException("commit before open");
        }
        var batch = new ChangeBatch(changes);
        boolean isCurrentEpoch =
                transact(
                        "keep " + changes.size() + " changes",
                        inside -> {
                            if (!ServerRow.advance(inside, epoch, batch.tasks())) {
                                return false;
                            }
                            batch.save(inside);
                            return true;
                        });
        if (!isCurrentEpoch) {
            throw new StoreFailure(
                    StoreFailure.Kind.FENCED,
                    "another server has opened this home; this one had epoch " + epoch);
        }
    }

    @Override
    public void close() {
        discard();
    }

    private <T> T transact(String doing, Work<T> work) throws StoreFailure {
        boolean isCommitted = false;
        try {
            var current = session;
            if (current == null) {
                current = database.openWriter();
                session = current;
            }
            T result = work.in(current);
            current.commit();
            isCommitted = true;
            return result;
        } catch (SQLException e) {
            if (SqliteErrors.isConstraintViolation(e)) {
                throw new IllegalStateException("the schema forbids to " + doing, e);
            }
            throw database.failure(doing, e);
        } finally {
            if (!isCommitted) {
                // After some errors SQLite has rolled back by itself, after others not. A new
                // session starts from a known state.
                discard();
            }
        }
    }

    private void discard() {
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

    private static Loaded load(SqlSession session) throws SQLException {
        var server = ServerRow.raiseEpoch(session);
        return new Loaded(
                server.epoch(),
                liveTasks(session),
                liveAttempts(session),
                gpus(session),
                keys(session),
                tokens(session),
                usage(session),
                server.scheduler(),
                runs(session),
                faults(session),
                estimates(session),
                new LastUsed(
                        server.lastTask(),
                        server.lastCreatedAt(),
                        last(session, LAST_SEQ),
                        last(session, LAST_RUN)));
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

    private static long last(SqlSession session, String query) throws SQLException {
        try (var row = session.prepared(query).query()) {
            return row.next() ? row.number(row.column("last")) : 0;
        }
    }

    /** The statements of one transaction. */
    private interface Work<T> {
        T in(SqlSession session) throws SQLException;
    }
}
