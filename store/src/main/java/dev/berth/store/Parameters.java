package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A prepared statement and the values of its parameters. In a statement of a {@link SqlTable} each
 * parameter is a column and is set by it; the parameters of a condition are added from left to
 * right. A parameter that is not set is NULL. The checksums of a row are computed when it is
 * written.
 */
final class Parameters {

    private final PreparedStatement statement;
    private final int count;
    private final ResultRow.NullChecksum nullChecksum;
    private final SqlTable.RowWrite write;
    private final RowValues written;
    private @Nullable CheckedResult layout;
    private @Nullable ResultSet latest;
    private int added;

    private Parameters(
            PreparedStatement statement,
            SqlTable.RowWrite write,
            ResultRow.NullChecksum nullChecksum)
            throws SQLException {
        this.statement = statement;
        this.count = statement.getParameterMetaData().getParameterCount();
        this.write = write;
        this.written = new RowValues(write.checksum().isEmpty() ? 0 : write.columns());
        this.nullChecksum = nullChecksum;
    }

    static Parameters of(
            Connection connection, SqlTable.RowWrite write, ResultRow.NullChecksum nullChecksum)
            throws SQLException {
        return new Parameters(connection.prepareStatement(write.sql()), write, nullChecksum);
    }

    /** The driver keeps the values of the previous execution. */
    Parameters clear() throws SQLException {
        added = write.columns();
        written.clear();
        for (int index = 1; index <= count; index++) {
            statement.setNull(index, Types.NULL);
        }
        return this;
    }

    Parameters set(Column column, String value) throws SQLException {
        statement.setString(column.index(), value);
        if (isChecked()) {
            written.setText(column.index(), value.getBytes(StandardCharsets.UTF_8));
        }
        return this;
    }

    private boolean isChecked() {
        return !write.checksum().isEmpty();
    }

    Parameters set(Column column, Optional<String> value) throws SQLException {
        return value.isPresent() ? set(column, value.get()) : this;
    }

    Parameters set(Column column, long value) throws SQLException {
        statement.setLong(column.index(), value);
        if (isChecked()) {
            written.setNumber(column.index(), value);
        }
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
        if (isChecked()) {
            written.setDecimal(column.index(), value);
        }
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
        for (var part : write.checksum()) {
            statement.setLong(part.checksum(), written.checksum(part));
        }
        return statement.executeUpdate();
    }

    ResultRow query() throws SQLException {
        var result = statement.executeQuery();
        latest = result;
        var known = layout;
        if (known == null) {
            known = CheckedResult.of(result.getMetaData());
            layout = known;
        }
        return ResultRow.of(result, known, nullChecksum);
    }

    /** Whether rows of its result may still be read. */
    boolean isInUse() throws SQLException {
        return latest != null && !latest.isClosed();
    }

    void close() throws SQLException {
        statement.close();
    }
}
