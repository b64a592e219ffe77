package dev.berth.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** One connection with its prepared statements, which are reused. For one thread at a time. */
final class SqlSession implements AutoCloseable {

    private final Connection connection;
    private final Map<String, Parameters> statements = new HashMap<>();

    /**
     * @param connection not in auto-commit: a transaction is always open, but takes no lock before
     *     its first statement
     */
    SqlSession(Connection connection) {
        this.connection = connection;
    }

    /** The statement with no parameter set. */
    Parameters prepared(String sql) throws SQLException {
        var statement = statements.get(sql);
        if (statement == null) {
            statement = new Parameters(connection.prepareStatement(sql));
            statements.put(sql, statement);
        }
        return statement.clear();
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
