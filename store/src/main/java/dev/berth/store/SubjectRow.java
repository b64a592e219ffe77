package dev.berth.store;

import dev.berth.engine.port.History.Subject;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** Whom the history knows, as rows of {@code subject}; the numbers of those seen are remembered. */
final class SubjectRow {

    private static final String FIND = "SELECT id FROM subject WHERE name = ?";
    private static final String ADD = "INSERT INTO subject (name, seen) VALUES (?, ?)";
    private static final String SEEN = "UPDATE subject SET seen = max(seen, ?) WHERE id = ?";
    private static final String DROP = "DELETE FROM subject WHERE seen < ?";

    private static final int REMEMBERED = 10_000;

    private final Map<Subject, Long> ids = new HashMap<>();

    static OptionalLong find(Session session, Subject subject) throws SQLException {
        try (var row = session.prepared(FIND).text(name(subject)).query()) {
            return row.next() ? OptionalLong.of(row.number()) : OptionalLong.empty();
        }
    }

    private static String name(Subject subject) {
        return switch (subject) {
            case Subject.OfCard(var card) -> "card " + card;
            case Subject.OfAttempt(var attempt) -> "attempt " + attempt;
        };
    }

    /** Its number, given now if it is new. */
    long id(Session session, Subject subject, long hour) throws SQLException {
        var known = ids.get(subject);
        if (known != null) {
            return known;
        }
        var found = find(session, subject);
        if (found.isEmpty()) {
            session.prepared(ADD).text(name(subject)).number(hour).run();
            found = find(session, subject);
        }
        if (ids.size() >= REMEMBERED) {
            ids.clear();
        }
        ids.put(subject, found.orElseThrow());
        return found.orElseThrow();
    }

    static void seen(Session session, long id, long hour) throws SQLException {
        session.prepared(SEEN).number(hour).number(id).run();
    }

    /** Those of whom nothing is kept any more. */
    void expire(Session session, long firstHour) throws SQLException {
        session.prepared(DROP).number(firstHour).run();
        forget();
    }

    /** What was written lately may not have been kept. */
    void forget() {
        ids.clear();
    }
}
