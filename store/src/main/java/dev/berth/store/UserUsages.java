package dev.berth.store;

import dev.berth.engine.port.UserUsage;
import dev.berth.engine.port.UserUsage.Load;
import dev.berth.engine.port.UserUsage.Memory;
import dev.berth.engine.port.UserUsage.Tasks;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Who had how much of the cards within a time, summed up by the database. */
final class UserUsages {

    private static final double MICROS = 1e6;

    /**
     * All in one pass, because reading the tables takes longer than summing up, and materialized,
     * because otherwise it would all be looked up again for each sum. A task that was tried again
     * has joined its line again after its first attempt.
     */
    private static final String HELD =
            """
            WITH held AS MATERIALIZED (
                SELECT t.owner_name AS owner, a.mean_percent AS percent, a.peak_mib AS peak,
                       (SELECT count(*) FROM claim c WHERE c.task = a.task AND c.number = a.number)
                           * (CASE WHEN a.ended_at < ? THEN a.ended_at ELSE ? END
                              - CASE WHEN a.granted_at > ? THEN a.granted_at ELSE ? END) AS us,
                       CASE WHEN a.peak_mib IS NOT NULL AND a.ended_at <= ? THEN
                           (SELECT c.mib FROM claim c
                            WHERE c.task = a.task AND c.number = a.number AND c.place = 0)
                           END AS asked,
                       CASE WHEN a.number = 1 AND a.granted_at >= ? THEN a.granted_at
                           - CASE WHEN t.queued_at <= a.granted_at THEN t.queued_at
                                  ELSE t.created_at END
                           END AS waited
                FROM attempt a JOIN tasks t ON t.id = a.task
                WHERE a.granted_at < ? AND (a.ended_at IS NULL OR a.ended_at > ?))
            SELECT owner, sum(us), coalesce(sum(us * percent), 0),
                   coalesce(sum(CASE WHEN percent IS NOT NULL THEN us END), 0),
                   count(CASE WHEN asked > 0 THEN 1 END),
                   coalesce(sum(CASE WHEN asked > 0 THEN asked END), 0),
                   coalesce(sum(CASE WHEN asked > 0 THEN peak END), 0),
                   group_concat(waited)
            FROM held
            GROUP BY owner
            """;

    private static final String TASKS =
            """
            SELECT t.owner_name, count(*),
                   sum(CASE WHEN t.status = 'completed' AND t.finished_at <= ? THEN 1 ELSE 0 END),
                   sum(CASE WHEN t.status = 'failed' AND t.finished_at <= ? THEN 1 ELSE 0 END),
                   sum(CASE WHEN t.status = 'cancelled' AND t.finished_at <= ? THEN 1 ELSE 0 END)
            FROM tasks t
            WHERE (t.finished_at > ? AND t.finished_at <= ?)
               OR (t.attempts > 0 AND (t.finished_at IS NULL OR t.finished_at > ?)
                   AND EXISTS (SELECT 1 FROM attempt a WHERE a.task = t.id AND a.granted_at < ?
                                   AND (a.ended_at IS NULL OR a.ended_at > ?)))
            GROUP BY t.owner_name
            """;

    private final Session session;
    private final long from;
    private final long to;
    private final SortedMap<String, UserUsage> users = new TreeMap<>();

    private UserUsages(Session session, Instant from, Instant to) {
        this.session = session;
        this.from = Micros.of(from);
        this.to = Micros.of(to);
    }

    static List<UserUsage> read(Session session, Instant from, Instant to) throws SQLException {
        var usages = new UserUsages(session, from, to);
        usages.tasks();
        usages.held();
        return List.copyOf(usages.users.values());
    }

    private void tasks() throws SQLException {
        var question =
                session.prepared(TASKS).number(to).number(to).number(to).number(from).number(to);
        try (var row = question.number(to).number(to).number(from).query()) {
            while (row.next()) {
                var user = row.text();
                var tasks = new Tasks(row.number(), row.number(), row.number(), row.number());
                add(new UserUsage(user, tasks, 0, Load.NONE, Memory.NONE, new long[0]));
            }
        }
    }

    private void held() throws SQLException {
        var question =
                session.prepared(HELD).number(to).number(to).number(from).number(from).number(to);
        try (var row = question.number(from).number(to).number(from).query()) {
            while (row.next()) {
                var user = row.text();
                double seconds = row.number() / MICROS;
                var load = new Load(row.number() / MICROS, row.number() / MICROS);
                var memory = new Memory(row.number(), row.number(), row.number());
                var waits = row.optionalText().map(UserUsages::numbers).orElse(new long[0]);
                add(new UserUsage(user, Tasks.NONE, seconds, load, memory, waits));
            }
        }
    }

    /** A clock that was set back makes a wait below none. */
    private static long[] numbers(String list) {
        return Arrays.stream(list.split(",", -1))
                .mapToLong(number -> Math.max(0, Long.parseLong(number)))
                .toArray();
    }

    private void add(UserUsage part) {
        users.merge(part.user(), part, UserUsage::plus);
    }
}
