package dev.berth.store;

import java.sql.SQLException;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;

/** A fingerprint whose runs were forgotten, as a row of {@code forgotten_runs}. */
final class ForgottenRunsRow {

    static final SqlTable TABLE = SqlTable.checked("forgotten_runs");

    private static final Column FINGERPRINT = TABLE.key("fingerprint");
    private static final Column UNTIL = TABLE.column("until");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String ALL = TABLE.select("");

    private ForgottenRunsRow() {}

    static void save(SqlSession session, long fingerprint, Instant until) throws SQLException {
        session.prepared(UPSERT).set(FINGERPRINT, fingerprint).set(UNTIL, until).run();
    }

    static SortedMap<Long, Instant> readAll(SqlSession session) throws SQLException {
        var all = new TreeMap<Long, Instant>();
        try (var row = session.prepared(ALL).query()) {
            while (row.next()) {
                all.put(row.number(FINGERPRINT), row.time(UNTIL));
            }
        }
        return all;
    }
}
