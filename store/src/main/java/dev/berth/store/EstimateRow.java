package dev.berth.store;

import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;

/** The GPU memory estimated for a model, as a row of {@code model_estimate}. */
final class EstimateRow {

    static final SqlTable TABLE = SqlTable.checked("model_estimate");

    private static final Column MODEL = TABLE.key("model");
    private static final Column MIB = TABLE.column("mib");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private EstimateRow() {}

    static void save(SqlSession session, String model, long mib) throws SQLException {
        session.prepared(UPSERT).set(MODEL, model).set(MIB, mib).run();
    }

    static SortedMap<String, Long> readAll(ResultRow row) throws SQLException {
        var estimates = new TreeMap<String, Long>();
        while (row.next()) {
            estimates.put(row.text(MODEL), row.number(MIB));
        }
        return estimates;
    }
}
