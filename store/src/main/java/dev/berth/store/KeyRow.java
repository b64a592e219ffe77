package dev.berth.store;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.KeyUse;
import dev.berth.engine.port.SubmitKey;

import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A submit key and its use as a row of {@code submit_key}. */
final class KeyRow {

    static final List<String> COLUMNS = List.of("principal", "key", "body_hash", "task", "at");

    private static final String UPSERT = Sql.upsert("submit_key", 2, COLUMNS);
    private static final String DROP = "DELETE FROM submit_key WHERE principal = ? AND key = ?";

    private KeyRow() {}

    static void save(Session session, SubmitKey key, KeyUse use) throws SQLException {
        session.prepared(UPSERT)
                .text(key.principal())
                .text(key.key())
                .text(use.bodyHash())
                .number(use.task().value())
                .time(use.at())
                .run();
    }

    static void drop(Session session, SubmitKey key) throws SQLException {
        session.prepared(DROP).text(key.principal()).text(key.key()).run();
    }

    static SortedMap<SubmitKey, KeyUse> readAll(Fields row) throws SQLException {
        var uses = new TreeMap<SubmitKey, KeyUse>();
        while (row.next()) {
            var key = new SubmitKey(row.text(), row.text());
            var bodyHash = row.text();
            uses.put(key, new KeyUse(new TaskId(row.number()), bodyHash, row.time()));
        }
        return uses;
    }
}
