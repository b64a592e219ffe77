package dev.berth.store;

import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory.Subject;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The samples of one minute, second by second, as a row of {@code second}. */
final class SamplesRow {

    static final SqlTable TABLE = new SqlTable("second");

    static final Column MINUTE = TABLE.key("minute");
    static final Column SUBJECT = TABLE.key("subject");
    static final Column SAMPLES = TABLE.column("samples");

    private static final String ADD = TABLE.insert().sql() + " ON CONFLICT DO NOTHING";
    private static final String FIND = TABLE.select("WHERE minute = ? AND subject = ?");
    private static final String REPLACE = TABLE.upsert().sql();
    private static final String OF_SUBJECT =
            TABLE.select("WHERE minute >= ? AND minute < ? AND subject = ?");
    private static final String OLDEST = "SELECT min(minute) AS oldest FROM second";
    private static final String DROP = "DELETE FROM second WHERE minute < ?";

    private SamplesRow() {}

    static void save(SqlSession session, long subject, MinuteSamples minute) throws SQLException {
        if (write(session, ADD, subject, minute) > 0) {
            return;
        }
        MinuteSamples merged;
        try (var row = session.prepared(FIND).add(minute.number()).add(subject).query()) {
            if (!row.next()) {
                throw new SQLException("a row of the history exists but cannot be read");
            }
            var stored = SampleBlob.read(minute.subject(), minute.number(), row.blob(SAMPLES));
            merged = stored.with(minute);
        }
        write(session, REPLACE, subject, merged);
    }

    private static int write(SqlSession session, String sql, long subject, MinuteSamples minute)
            throws SQLException {
        return session.prepared(sql)
                .set(MINUTE, minute.number())
                .set(SUBJECT, subject)
                .set(SAMPLES, SampleBlob.of(minute))
                .run();
    }

    /**
     * @param to exclusive
     */
    static List<MinuteSamples> read(
            SqlSession session, Subject subject, long id, long from, long to) throws SQLException {
        var minutes = new ArrayList<MinuteSamples>();
        try (var row = session.prepared(OF_SUBJECT).add(from).add(to).add(id).query()) {
            while (row.next()) {
                minutes.add(SampleBlob.read(subject, row.number(MINUTE), row.blob(SAMPLES)));
            }
        }
        return minutes;
    }

    /** Deletes rows older than {@code first}, the oldest first, at most a few minutes per call. */
    static void deleteBefore(SqlSession session, long first, int atMost) throws SQLException {
        OptionalLong oldest;
        try (var row = session.prepared(OLDEST).query()) {
            oldest = row.next() ? row.optionalNumber(row.column("oldest")) : OptionalLong.empty();
        }
        if (oldest.isPresent() && oldest.getAsLong() < first) {
            session.prepared(DROP).add(Math.min(first, oldest.getAsLong() + atMost)).run();
        }
    }
}
