package dev.berth.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One connection with its prepared statements, which are reused. For one thread at a time. */
final class SqlSession implements AutoCloseable {

    private final Connection connection;
    private final ResultRow.NullChecksum nullChecksum;
    private final Map<String, Parameters> statements = new HashMap<>();

    /**
     * @param connection not in auto-commit: a transaction is always open, but takes no lock before
     *     its first statement
     */
    SqlSession(Connection connection, ResultRow.NullChecksum nullChecksum) {
        this.connection = connection;
        this.nullChecksum = nullChecksum;
    }

    /** The statement with no parameter set. */
    Parameters prepared(String sql) throws SQLException {
        return prepared(new SqlTable.RowWrite(sql, 0, List.of()));
    }

    /** The statement with no parameter set. */
    Parameters prepared(SqlTable.RowWrite write) throws SQLException {
        var statement = statements.get(write.sql());
        if (statement == null) {
            statement = Parameters.of(connection, write, nullChecksum);
            statements.put(write.sql(), statement);
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
