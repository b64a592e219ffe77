package dev.berth.store;

import dev.berth.core.line.Usage;

import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What somebody has had of the cards, as a row of {@code usage}. */
final class UsageRow {

    static final List<String> COLUMNS = List.of("principal", "gpu_seconds", "as_of");

    private static final String UPSERT = Sql.upsert("usage", 1, COLUMNS);

    private UsageRow() {}

    static void save(Session session, String principal, Usage.Account account) throws SQLException {
        session.prepared(UPSERT)
                .text(principal)
                .decimal(account.gpuSeconds())
                .time(account.asOf())
                .run();
    }

    static SortedMap<String, Usage.Account> readAll(Fields row) throws SQLException {
        var usage = new TreeMap<String, Usage.Account>();
        while (row.next()) {
            usage.put(row.text(), new Usage.Account(row.decimal(), row.time()));
        }
        return usage;
    }
}
