package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.card.Card;
import dev.berth.core.card.Fault;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.KeyUse;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.SubmitKey;
import dev.berth.engine.port.TaskStore;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The engine's side of the database: one connection, one thread, one durable transaction per
 * commit.
 */
public final class SqliteTaskStore implements TaskStore, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteTaskStore.class);

    private static final String LIVE_TASKS =
            Sql.select(
                    TaskRow.COLUMNS,
                    "FROM tasks WHERE status IN ('pending', 'queued', 'running') ORDER BY id");
    private static final String LIVE_ATTEMPTS =
            Sql.select(
                    AttemptRow.COLUMNS,
                    "FROM attempt WHERE phase <> 'ended' ORDER BY task, number");
    private static final String LIVE_CLAIMS =
            Sql.select(
                    ClaimRow.COLUMNS,
                    "FROM claim WHERE (task, number) IN (SELECT task, number FROM attempt WHERE"
                            + " phase <> 'ended') ORDER BY task, number, place");
    private static final String CARDS =
            Sql.select(CardRow.COLUMNS, "FROM card ORDER BY node, uuid");
    private static final String KEYS = Sql.select(KeyRow.COLUMNS, "FROM submit_key");
    private static final String TOKENS = Sql.select(TokenRow.COLUMNS, "FROM token ORDER BY id");
    private static final String USAGE = Sql.select(UsageRow.COLUMNS, "FROM usage");
    private static final String RUNS =
            Sql.select(
                    RunRow.COLUMNS, "FROM run WHERE stage IN ('running', 'stopping') ORDER BY id");
    private static final String FAULTS =
            Sql.select(FaultRow.COLUMNS, "FROM card_fault ORDER BY node, uuid");
    private static final String ESTIMATES = "SELECT model, mib FROM model_estimate";
    private static final String LAST_RUN = "SELECT coalesce(max(id), 0) FROM run";
    private static final String LAST_SEQ = "SELECT coalesce(max(seq), 0) FROM event";

    private final Database database;
    private @Nullable Session session;
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
        var batch = new Batch(changes);
        boolean ours =
                transact(
                        "keep " + changes.size() + " changes",
                        inside -> {
                            if (!ServerRow.advance(inside, epoch, batch.tasks())) {
                                return false;
                            }
                            batch.save(inside);
                            return true;
                        });
        if (!ours) {
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
        boolean kept = false;
        try {
            var current = session;
            if (current == null) {
                current = database.openWriter();
                session = current;
            }
            T result = work.in(current);
            current.commit();
            kept = true;
            return result;
        } catch (SQLException e) {
            if (Failures.isBrokenRule(e)) {
                throw new IllegalStateException("the schema forbids to " + doing, e);
            }
            throw database.failure(doing, e);
        } finally {
            if (!kept) {
                // SQLite may or may not have rolled back by itself: a new session has nothing left
                // over.
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

    private static Loaded load(Session session) throws SQLException {
        var server = ServerRow.raiseEpoch(session);
        return new Loaded(
                server.epoch(),
                liveTasks(session),
                liveAttempts(session),
                cards(session),
                keys(session),
                tokens(session),
                usage(session),
                server.scheduler(),
                runs(session),
                number(session, LAST_RUN),
                faults(session),
                estimates(session),
                server.lastTask(),
                server.lastCreatedAt(),
                number(session, LAST_SEQ));
    }

    private static List<Task> liveTasks(Session session) throws SQLException {
        try (var row = session.prepared(LIVE_TASKS).query()) {
            var tasks = new ArrayList<Task>();
            while (row.next()) {
                tasks.add(TaskRow.read(row));
            }
            return tasks;
        }
    }

    private static List<Attempt> liveAttempts(Session session) throws SQLException {
        try (var claimRow = session.prepared(LIVE_CLAIMS).query();
                var row = session.prepared(LIVE_ATTEMPTS).query()) {
            return AttemptRow.readAll(row, ClaimRow.readAll(claimRow));
        }
    }

    private static List<Card> cards(Session session) throws SQLException {
        try (var row = session.prepared(CARDS).query()) {
            var cards = new ArrayList<Card>();
            while (row.next()) {
                cards.add(CardRow.read(row));
            }
            return cards;
        }
    }

    private static SortedMap<SubmitKey, KeyUse> keys(Session session) throws SQLException {
        try (var row = session.prepared(KEYS).query()) {
            return KeyRow.readAll(row);
        }
    }

    private static List<Token> tokens(Session session) throws SQLException {
        try (var row = session.prepared(TOKENS).query()) {
            var tokens = new ArrayList<Token>();
            while (row.next()) {
                tokens.add(TokenRow.read(row));
            }
            return tokens;
        }
    }

    private static SortedMap<String, Usage.Account> usage(Session session) throws SQLException {
        try (var row = session.prepared(USAGE).query()) {
            return UsageRow.readAll(row);
        }
    }

    private static List<LaneRun> runs(Session session) throws SQLException {
        try (var row = session.prepared(RUNS).query()) {
            return RunRow.readAll(row);
        }
    }

    private static List<Fault> faults(Session session) throws SQLException {
        try (var row = session.prepared(FAULTS).query()) {
            var faults = new ArrayList<Fault>();
            while (row.next()) {
                faults.add(FaultRow.read(row));
            }
            return faults;
        }
    }

    private static SortedMap<String, Long> estimates(Session session) throws SQLException {
        try (var row = session.prepared(ESTIMATES).query()) {
            var estimates = new TreeMap<String, Long>();
            while (row.next()) {
                estimates.put(row.text(), row.number());
            }
            return estimates;
        }
    }

    private static long number(Session session, String question) throws SQLException {
        try (var row = session.prepared(question).query()) {
            return row.next() ? row.number() : 0;
        }
    }

    /** What happens between the beginning and the end of one transaction. */
    private interface Work<T> {
        T in(Session session) throws SQLException;
    }
}
