package dev.berth.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** One connection and the statements prepared on it, which are kept. For one thread at a time. */
final class Session implements AutoCloseable {

    private final Connection connection;
    private final Map<String, Params> statements = new HashMap<>();

    /**
     * @param connection not in auto-commit: a transaction is always open, but takes no lock before
     *     its first use
     */
    Session(Connection connection) {
        this.connection = connection;
    }

    Params prepared(String sql) throws SQLException {
        var known = statements.get(sql);
        if (known == null) {
            known = new Params(connection.prepareStatement(sql));
            statements.put(sql, known);
        }
        return known.fromTheFirst();
    }

    void commit() throws SQLException {
        connection.commit();
    }

    void rollback() throws SQLException {
        connection.rollback();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
