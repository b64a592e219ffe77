package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Reads tasks with their attempts for the usage of a period. */
final class UsedTaskQuery {

    /**
     * A task that was retried has a {@code queued_at} after its first attempt; its first wait then
     * counts from its creation. A draft that was started by hand has none and has not waited.
     */
    private static final String COLUMNS =
            """
            SELECT t.id AS id, t.owner_name AS owner, t.status AS status, t.finished_at AS finished_at,
                   a.granted_at AS granted_at, a.ended_at AS ended_at,
                   a.mean_percent AS percent, a.peak_mib AS peak_mib,
                   (SELECT count(*) FROM claim c WHERE c.task = a.task AND c.number = a.number)
                       AS gpus,
                   (SELECT c.mib FROM claim c
                    WHERE c.task = a.task AND c.number = a.number AND c.place = 0) AS asked_mib,
                   CASE WHEN a.number = 1 THEN a.granted_at
                       - CASE WHEN t.queued_at IS NULL THEN a.granted_at
                              WHEN t.queued_at <= a.granted_at THEN t.queued_at
                              ELSE t.created_at END
                       END AS waited
            FROM tasks t LEFT JOIN attempt a ON a.task = t.id
            """;

    /** The tasks that ended after a time, in that order. */
    static final String FINISHED =
            COLUMNS
                    + "WHERE t.finished_at > ? AND t.source <> 'worker'"
                    + " ORDER BY t.finished_at, t.id, a.number";

    static final String RUNNING =
            COLUMNS + "WHERE t.status = 'running' AND t.source <> 'worker' ORDER BY t.id, a.number";

    /** They ran and wait again. */
    static final String RUN_BEFORE =
            COLUMNS
                    + "WHERE t.finished_at IS NULL AND t.attempts > 0 AND t.status <> 'running'"
                    + " AND t.source <> 'worker' ORDER BY t.id, a.number";

    /** Whether any task that ended in a period was added, changed or removed. */
    private static final String FINGERPRINT =
            "SELECT count(*) AS tasks, coalesce(sum(id), 0) AS ids,"
                    + " coalesce(sum(finished_at % 1000000007), 0) AS ends FROM tasks"
                    + " WHERE finished_at > ? AND finished_at <= ?";

    /** The state of the tasks that ended in a period. */
    record Fingerprint(long tasks, long ids, long ends) {}

    private final SqlSession session;
    private final Map<String, String> texts = new HashMap<>();

    UsedTaskQuery(SqlSession session) {
        this.session = session;
    }

    Fingerprint fingerprint(long from, long to) throws SQLException {
        try (var row = session.prepared(FINGERPRINT).add(from).add(to).query()) {
            var tasks = row.column("tasks");
            var ids = row.column("ids");
            var ends = row.column("ends");
            if (!row.next()) {
                throw new SQLException("no sums");
            }
            return new Fingerprint(row.number(tasks), row.number(ids), row.number(ends));
        }
    }

    /** The tasks that ended after this time, earliest first. */
    void finishedAfter(long time, Consumer<UsedTask> consumer) throws SQLException {
        read(session.prepared(FINISHED).add(time), consumer);
    }

    /** The tasks that run, or ran and wait again. */
    void unfinished(Consumer<UsedTask> consumer) throws SQLException {
        read(session.prepared(RUNNING), consumer);
        read(session.prepared(RUN_BEFORE), consumer);
    }

    private void read(Parameters query, Consumer<UsedTask> consumer) throws SQLException {
        try (var row = query.query()) {
            var columns = new Columns(row);
            long id = 0;
            UsedTask task = null;
            var attempts = new ArrayList<UsedTask.UsedAttempt>();
            while (row.next()) {
                if (task == null || row.number(columns.id) != id) {
                    finish(task, attempts, consumer);
                    id = row.number(columns.id);
                    task = columns.task(row);
                }
                columns.addAttempt(row, attempts);
            }
            finish(task, attempts, consumer);
        }
    }

    private static void finish(
            @Nullable UsedTask task,
            List<UsedTask.UsedAttempt> attempts,
            Consumer<UsedTask> consumer) {
        if (task != null) {
            consumer.accept(
                    new UsedTask(
                            task.owner(), task.status(), task.finishedAt(), List.copyOf(attempts)));
            attempts.clear();
        }
    }

    /** The columns of one result. */
    private final class Columns {
        private final Column id;
        private final Column owner;
        private final Column status;
        private final Column finishedAt;
        private final Column grantedAt;
        private final Column endedAt;
        private final Column percent;
        private final Column peakMib;
        private final Column gpus;
        private final Column askedMib;
        private final Column waited;

        Columns(ResultRow row) throws SQLException {
            id = row.column("id");
            owner = row.column("owner");
            status = row.column("status");
            finishedAt = row.column("finished_at");
            grantedAt = row.column("granted_at");
            endedAt = row.column("ended_at");
            percent = row.column("percent");
            peakMib = row.column("peak_mib");
            gpus = row.column("gpus");
            askedMib = row.column("asked_mib");
            waited = row.column("waited");
        }

        UsedTask task(ResultRow row) throws SQLException {
            return new UsedTask(
                    once(row.text(owner)),
                    once(row.text(status)),
                    row.optionalNumber(finishedAt).orElse(UsedTask.NEVER),
                    List.of());
        }

        void addAttempt(ResultRow row, List<UsedTask.UsedAttempt> attempts) throws SQLException {
            OptionalLong granted = row.optionalNumber(grantedAt);
            if (granted.isEmpty()) {
                return;
            }
            attempts.add(
                    new UsedTask.UsedAttempt(
                            granted.getAsLong(),
                            row.optionalNumber(endedAt).orElse(UsedTask.NEVER),
                            row.smallNumber(gpus),
                            row.optionalNumber(percent).orElse(UsedTask.UNKNOWN),
                            row.optionalNumber(peakMib).orElse(UsedTask.UNKNOWN),
                            row.optionalNumber(askedMib).orElse(UsedTask.UNKNOWN),
                            waited(row)));
        }

        private long waited(ResultRow row) throws SQLException {
            var micros = row.optionalNumber(waited);
            return micros.isPresent() ? Math.max(0, micros.getAsLong()) : UsedTask.UNKNOWN;
        }
    }

    /** Few users own many tasks. */
    private String once(String text) {
        return texts.computeIfAbsent(text, same -> same);
    }
}
