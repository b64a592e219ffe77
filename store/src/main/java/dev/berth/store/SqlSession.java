package dev.berth.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;

/** One connection with its prepared statements, which are reused. For one thread at a time. */
final class SqlSession implements AutoCloseable {

    /** More than a server uses without filters. */
    static final int MAX_STATEMENTS = 100;

    private final Connection connection;
    private final ResultRow.NullChecksum nullChecksum;

    /** In the order of their last use. */
    private final LinkedHashMap<String, Parameters> statements =
            new LinkedHashMap<>(16, 0.75f, true);

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
            closeUnused();
            statement = Parameters.of(connection, write, nullChecksum);
            statements.put(write.sql(), statement);
        }
        return statement.clear();
    }

    /** Filters of lists make many texts of SQL, so those of long ago are prepared again. */
    private void closeUnused() throws SQLException {
        var oldest = statements.values().iterator();
        while (statements.size() >= MAX_STATEMENTS && oldest.hasNext()) {
            var statement = oldest.next();
            if (!statement.isInUse()) {
                statement.close();
                oldest.remove();
            }
        }
    }

    /** How many statements are prepared. */
    int statementCount() {
        return statements.size();
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
