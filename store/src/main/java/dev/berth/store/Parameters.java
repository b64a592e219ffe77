package dev.berth.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A prepared statement and the values of its parameters. In a statement of a {@link SqlTable} each
 * parameter is a column and is set by it; the parameters of a condition are added from left to
 * right. A parameter that is not set is NULL.
 */
final class Parameters {

    private final PreparedStatement statement;
    private final int count;
    private int added;

    Parameters(PreparedStatement statement) throws SQLException {
        this.statement = statement;
        this.count = statement.getParameterMetaData().getParameterCount();
    }

    /** The driver keeps the values of the previous execution. */
    Parameters clear() throws SQLException {
        added = 0;
        for (int index = 1; index <= count; index++) {
            statement.setNull(index, Types.NULL);
        }
        return this;
    }

    Parameters set(Column column, String value) throws SQLException {
        statement.setString(column.index(), value);
        return this;
    }

    Parameters set(Column column, Optional<String> value) throws SQLException {
        return value.isPresent() ? set(column, value.get()) : this;
    }

    Parameters set(Column column, long value) throws SQLException {
        statement.setLong(column.index(), value);
        return this;
    }

    Parameters set(Column column, OptionalLong value) throws SQLException {
        return value.isPresent() ? set(column, value.getAsLong()) : this;
    }

    Parameters set(Column column, OptionalInt value) throws SQLException {
        return value.isPresent() ? set(column, value.getAsInt()) : this;
    }

    Parameters set(Column column, boolean value) throws SQLException {
        return set(column, value ? 1L : 0L);
    }

    Parameters set(Column column, Instant value) throws SQLException {
        return set(column, Micros.of(value));
    }

    Parameters set(Column column, byte[] value) throws SQLException {
        statement.setBytes(column.index(), value);
        return this;
    }

    /** Not an overload of {@code set}: a whole number must not become a decimal by accident. */
    Parameters setDecimal(Column column, double value) throws SQLException {
        statement.setDouble(column.index(), value);
        return this;
    }

    Parameters setTime(Column column, Optional<Instant> value) throws SQLException {
        return value.isPresent() ? set(column, value.get()) : this;
    }

    Parameters add(String value) throws SQLException {
        statement.setString(++added, value);
        return this;
    }

    Parameters add(long value) throws SQLException {
        statement.setLong(++added, value);
        return this;
    }

    Parameters add(OptionalLong value) throws SQLException {
        if (value.isPresent()) {
            return add(value.getAsLong());
        }
        added++;
        return this;
    }

    /**
     * @return how many rows it changed
     */
    int run() throws SQLException {
        return statement.executeUpdate();
    }

    ResultRow query() throws SQLException {
        return new ResultRow(statement.executeQuery());
    }
}
