package dev.berth.store;

import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.Minute;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Minutes of samples as rows of {@code second}. */
final class SecondRow {

    private static final String ADD =
            "INSERT INTO second (minute, subject, samples) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    private static final String FIND =
            "SELECT samples FROM second WHERE minute = ? AND subject = ?";
    private static final String REPLACE =
            "UPDATE second SET samples = ? WHERE minute = ? AND subject = ?";
    private static final String OF_ONE =
            "SELECT minute, samples FROM second WHERE minute >= ? AND minute < ? AND subject = ?";
    private static final String OLDEST = "SELECT min(minute) FROM second";
    private static final String DROP = "DELETE FROM second WHERE minute < ?";

    private SecondRow() {}

    static void save(Session session, long subject, Minute minute) throws SQLException {
        int added =
                session.prepared(ADD)
                        .number(minute.number())
                        .number(subject)
                        .blob(SampleBlob.of(minute))
                        .run();
        if (added > 0) {
            return;
        }
        Minute whole;
        try (var row = session.prepared(FIND).number(minute.number()).number(subject).query()) {
            if (!row.next()) {
                throw new SQLException("a row of the history is there and is not");
            }
            whole = SampleBlob.read(minute.subject(), minute.number(), row.blob()).with(minute);
        }
        session.prepared(REPLACE)
                .blob(SampleBlob.of(whole))
                .number(minute.number())
                .number(subject)
                .run();
    }

    /**
     * @param to exclusive
     */
    static List<Minute> of(Session session, Subject subject, long id, long from, long to)
            throws SQLException {
        var minutes = new ArrayList<Minute>();
        try (var row = session.prepared(OF_ONE).number(from).number(to).number(id).query()) {
            while (row.next()) {
                minutes.add(SampleBlob.read(subject, row.number(), row.blob()));
            }
        }
        return minutes;
    }

    /** Drops what is before {@code first}, oldest first and a few minutes at a time. */
    static void expire(Session session, long first, int atMost) throws SQLException {
        OptionalLong there;
        try (var row = session.prepared(OLDEST).query()) {
            there = row.next() ? row.optionalNumber() : OptionalLong.empty();
        }
        if (there.isPresent() && there.getAsLong() < first) {
            session.prepared(DROP).number(Math.min(first, there.getAsLong() + atMost)).run();
        }
    }
}
