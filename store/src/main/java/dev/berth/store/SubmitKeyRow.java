package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;

import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;

/** A submit key and its use as a row of {@code submit_key}. */
final class SubmitKeyRow {

    static final SqlTable TABLE = SqlTable.checked("submit_key");

    private static final Column PRINCIPAL = TABLE.key("principal");
    private static final Column KEY = TABLE.key("key");
    private static final Column BODY_HASH = TABLE.column("body_hash");
    private static final Column TASK = TABLE.column("task");
    private static final Column AT = TABLE.column("at");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String DELETE = TABLE.deleteByKey();

    private SubmitKeyRow() {}

    static void save(SqlSession session, SubmitKey key, SubmitKeyUse use) throws SQLException {
        session.prepared(UPSERT)
                .set(PRINCIPAL, key.principal())
                .set(KEY, key.key())
                .set(BODY_HASH, use.bodyHash())
                .set(TASK, use.task().value())
                .set(AT, use.at())
                .run();
    }

    static void delete(SqlSession session, SubmitKey key) throws SQLException {
        session.prepared(DELETE).set(PRINCIPAL, key.principal()).set(KEY, key.key()).run();
    }

    static SortedMap<SubmitKey, SubmitKeyUse> readAll(ResultRow row) throws SQLException {
        var uses = new TreeMap<SubmitKey, SubmitKeyUse>();
        while (row.next()) {
            uses.put(
                    new SubmitKey(row.text(PRINCIPAL), row.text(KEY)),
                    new SubmitKeyUse(
                            new TaskId(row.number(TASK)), row.text(BODY_HASH), row.time(AT)));
        }
        return uses;
    }
}
