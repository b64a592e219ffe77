package dev.berth.store;

import dev.berth.core.queue.GpuUsage;

import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;

/** The GPU time that one principal used, as a row of {@code usage}. */
final class UsageRow {

    static final SqlTable TABLE = SqlTable.checked("usage");

    private static final Column PRINCIPAL = TABLE.key("principal");
    private static final Column GPU_SECONDS = TABLE.column("gpu_seconds");
    private static final Column AS_OF = TABLE.column("as_of");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private UsageRow() {}

    static void save(SqlSession session, String principal, GpuUsage.Account account)
            throws SQLException {
        session.prepared(UPSERT)
                .set(PRINCIPAL, principal)
                .setDecimal(GPU_SECONDS, account.gpuSeconds())
                .set(AS_OF, account.asOf())
                .run();
    }

    static SortedMap<String, GpuUsage.Account> readAll(ResultRow row) throws SQLException {
        var usage = new TreeMap<String, GpuUsage.Account>();
        while (row.next()) {
            usage.put(
                    row.text(PRINCIPAL),
                    new GpuUsage.Account(row.decimal(GPU_SECONDS), row.time(AS_OF)));
        }
        return usage;
    }
}
