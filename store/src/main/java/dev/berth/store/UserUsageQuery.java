package dev.berth.store;

import dev.berth.port.read.UserUsage;
import dev.berth.port.read.UserUsage.Load;
import dev.berth.port.read.UserUsage.Memory;
import dev.berth.port.read.UserUsage.Tasks;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** GPU time, tasks and waits per user within a period, summed up by the database. */
final class UserUsageQuery {

    private static final double MICROS = 1e6;

    /**
     * One pass for all sums, because reading the tables takes longer than summing. Materialized,
     * because otherwise SQLite evaluates the subqueries once per sum. A task that was retried has a
     * {@code queued_at} after its first attempt; its first wait then counts from its creation. A
     * draft that was started by hand has none and has not waited.
     *
     * <p>Two parts, because one condition for ended and live attempts uses no index. The join is in
     * this order, because SQLite would begin with the tasks.
     */
    static final String HELD =
            """
            WITH held AS MATERIALIZED (
                WITH part AS (
                    SELECT task, number, granted_at, ended_at, mean_percent, peak_mib
                    FROM attempt WHERE ended_at > ? AND granted_at < ?
                    UNION ALL
                    SELECT task, number, granted_at, ended_at, mean_percent, peak_mib
                    FROM attempt WHERE phase <> 'ended' AND ended_at IS NULL AND granted_at < ?)
                SELECT t.owner_name AS owner, a.mean_percent AS percent, a.peak_mib AS peak,
                       (SELECT count(*) FROM claim c WHERE c.task = a.task AND c.number = a.number)
                           * (CASE WHEN a.ended_at < ? THEN a.ended_at ELSE ? END
                              - CASE WHEN a.granted_at > ? THEN a.granted_at ELSE ? END) AS us,
                       CASE WHEN a.peak_mib IS NOT NULL AND a.ended_at <= ? THEN
                           (SELECT c.mib FROM claim c
                            WHERE c.task = a.task AND c.number = a.number AND c.place = 0)
                           END AS asked,
                       CASE WHEN a.number = 1 AND a.granted_at >= ? THEN a.granted_at
                           - CASE WHEN t.queued_at IS NULL THEN a.granted_at
                                  WHEN t.queued_at <= a.granted_at THEN t.queued_at
                                  ELSE t.created_at END
                           END AS waited
                FROM part a CROSS JOIN tasks t ON t.id = a.task
                WHERE t.source <> 'worker')
            SELECT owner, sum(us) AS held_us,
                   coalesce(sum(us * percent), 0) AS percent_us,
                   coalesce(sum(CASE WHEN percent IS NOT NULL THEN us END), 0) AS measured_us,
                   count(CASE WHEN asked > 0 THEN 1 END) AS attempts,
                   coalesce(sum(CASE WHEN asked > 0 THEN asked END), 0) AS asked_mib,
                   coalesce(sum(CASE WHEN asked > 0 THEN peak END), 0) AS peak_mib,
                   group_concat(waited) AS waits
            FROM held
            GROUP BY owner
            """;

    /** The tasks that ended in the period, those that ended later, and unfinished ones. */
    static final String TASKS =
            """
            WITH part AS (
                SELECT owner_name, source, status, finished_at FROM tasks
                WHERE finished_at > ? AND finished_at <= ?
                UNION ALL
                SELECT owner_name, source, status, finished_at FROM tasks t
                WHERE finished_at > ? AND EXISTS (
                    SELECT 1 FROM attempt a WHERE a.task = t.id AND a.granted_at < ?
                        AND (a.ended_at IS NULL OR a.ended_at > ?))
                UNION ALL
                SELECT owner_name, source, status, finished_at FROM tasks t
                WHERE status = 'running' AND EXISTS (
                    SELECT 1 FROM attempt a WHERE a.task = t.id AND a.granted_at < ?
                        AND (a.ended_at IS NULL OR a.ended_at > ?))
                UNION ALL
                SELECT owner_name, source, status, finished_at FROM tasks t
                WHERE finished_at IS NULL AND attempts > 0 AND status <> 'running' AND EXISTS (
                    SELECT 1 FROM attempt a WHERE a.task = t.id AND a.granted_at < ?
                        AND (a.ended_at IS NULL OR a.ended_at > ?)))
            SELECT t.owner_name AS owner, count(*) AS tasks,
                   sum(CASE WHEN t.status = 'completed' AND t.finished_at <= ?
                       THEN 1 ELSE 0 END) AS completed,
                   sum(CASE WHEN t.status = 'failed' AND t.finished_at <= ?
                       THEN 1 ELSE 0 END) AS failed,
                   sum(CASE WHEN t.status = 'cancelled' AND t.finished_at <= ?
                       THEN 1 ELSE 0 END) AS cancelled
            FROM part t
            WHERE t.source <> 'worker'
            GROUP BY t.owner_name
            """;

    private final SqlSession session;
    private final long from;
    private final long to;
    private final SortedMap<String, UserUsage> users = new TreeMap<>();

    private UserUsageQuery(SqlSession session, Instant from, Instant to) {
        this.session = session;
        this.from = Micros.of(from);
        this.to = Micros.of(to);
    }

    static List<UserUsage> read(SqlSession session, Instant from, Instant to) throws SQLException {
        var usages = new UserUsageQuery(session, from, to);
        usages.tasks();
        usages.held();
        return List.copyOf(usages.users.values());
    }

    private void tasks() throws SQLException {
        var query = session.prepared(TASKS).add(from).add(to).add(to);
        for (int part = 0; part < 3; part++) {
            query = query.add(to).add(from);
        }
        try (var row = query.add(to).add(to).add(to).query()) {
            var owner = row.column("owner");
            var count = row.column("tasks");
            var completed = row.column("completed");
            var failed = row.column("failed");
            var cancelled = row.column("cancelled");
            while (row.next()) {
                var tasks =
                        new Tasks(
                                row.number(count),
                                row.number(completed),
                                row.number(failed),
                                row.number(cancelled));
                add(new UserUsage(row.text(owner), tasks, 0, Load.NONE, Memory.NONE, new long[0]));
            }
        }
    }

    private void held() throws SQLException {
        var query = session.prepared(HELD).add(from).add(to).add(to);
        query = query.add(to).add(to).add(from).add(from).add(to);
        try (var row = query.add(from).query()) {
            var owner = row.column("owner");
            var held = row.column("held_us");
            var percent = row.column("percent_us");
            var measured = row.column("measured_us");
            var attempts = row.column("attempts");
            var asked = row.column("asked_mib");
            var peak = row.column("peak_mib");
            var waited = row.column("waits");
            while (row.next()) {
                var load = new Load(row.number(percent) / MICROS, row.number(measured) / MICROS);
                var memory = new Memory(row.number(attempts), row.number(asked), row.number(peak));
                var waits =
                        row.optionalText(waited).map(UserUsageQuery::numbers).orElse(new long[0]);
                double seconds = row.number(held) / MICROS;
                add(new UserUsage(row.text(owner), Tasks.NONE, seconds, load, memory, waits));
            }
        }
    }

    /** A clock that was set back yields negative waits. */
    private static long[] numbers(String list) {
        return Arrays.stream(list.split(",", -1))
                .mapToLong(number -> Math.max(0, Long.parseLong(number)))
                .toArray();
    }

    private void add(UserUsage part) {
        users.merge(part.user(), part, UserUsage::plus);
    }
}
