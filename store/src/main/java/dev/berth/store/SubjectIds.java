package dev.berth.store;

import dev.berth.port.read.SampleHistory.Subject;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The GPUs and attempts in the history, as rows of {@code subject}. Recently used ids are cached.
 */
final class SubjectIds {

    /** Without the id, which SQLite assigns. */
    private static final SqlTable TABLE = new SqlTable("subject");

    private static final Column NAME = TABLE.column("name");
    private static final Column LAST_HOUR = TABLE.column("seen");

    private static final String FIND = "SELECT id FROM subject WHERE name = ?";
    private static final SqlTable.RowWrite ADD = TABLE.insert();
    private static final String SEEN = "UPDATE subject SET seen = max(seen, ?) WHERE id = ?";
    private static final String DROP = "DELETE FROM subject WHERE seen < ?";

    private static final int MAX_CACHED = 10_000;

    private final Map<Subject, Long> ids = new HashMap<>();

    static OptionalLong find(SqlSession session, Subject subject) throws SQLException {
        try (var row = session.prepared(FIND).add(name(subject)).query()) {
            return row.next()
                    ? OptionalLong.of(row.number(row.column("id")))
                    : OptionalLong.empty();
        }
    }

    private static String name(Subject subject) {
        return switch (subject) {
            case Subject.OfGpu(var gpu) -> "card " + gpu;
            case Subject.OfAttempt(var attempt) -> "attempt " + attempt;
        };
    }

    /** The id of the subject, which is added if it is new. */
    long id(SqlSession session, Subject subject, long hour) throws SQLException {
        var cached = ids.get(subject);
        if (cached != null) {
            return cached;
        }
        var found = find(session, subject);
        if (found.isEmpty()) {
            session.prepared(ADD).set(NAME, name(subject)).set(LAST_HOUR, hour).run();
            found = find(session, subject);
        }
        if (ids.size() >= MAX_CACHED) {
            ids.clear();
        }
        ids.put(subject, found.orElseThrow());
        return found.orElseThrow();
    }

    static void setLastHour(SqlSession session, long id, long hour) throws SQLException {
        session.prepared(SEEN).add(hour).add(id).run();
    }

    /** Deletes the subjects of which the history has nothing left. */
    void deleteBefore(SqlSession session, long firstHour) throws SQLException {
        session.prepared(DROP).add(firstHour).run();
        clearCache();
    }

    /** Empties the cache: after a rollback it may hold ids that were not committed. */
    void clearCache() {
        ids.clear();
    }
}
