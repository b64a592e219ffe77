package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The rows of a result, one at a time. Only the columns asked for are read. */
final class ResultRow implements AutoCloseable {

    private final ResultSet result;

    /** How many columns of the result come before those of the table that is read. */
    private final int offset;

    ResultRow(ResultSet result) {
        this(result, 0);
    }

    private ResultRow(ResultSet result, int offset) {
        this.result = result;
        this.offset = offset;
    }

    /** The same rows, for the table whose columns follow those of {@code first} in a join. */
    ResultRow after(SqlTable first) {
        return new ResultRow(result, first.size());
    }

    /** Looks up a column by its name in the query. To be called once per result, not per row. */
    Column column(String name) throws SQLException {
        return new Column(name, result.findColumn(name));
    }

    boolean next() throws SQLException {
        return result.next();
    }

    String text(Column column) throws SQLException {
        return optionalText(column).orElseThrow(() -> isNull(column));
    }

    Optional<String> optionalText(Column column) throws SQLException {
        // getBytes takes half as long as the driver's getString, and a long list is mostly text.
        byte @Nullable [] value = result.getBytes(offset + column.index());
        return value == null
                ? Optional.empty()
                : Optional.of(new String(value, StandardCharsets.UTF_8));
    }

    byte[] blob(Column column) throws SQLException {
        byte @Nullable [] value = result.getBytes(offset + column.index());
        if (value == null) {
            throw isNull(column);
        }
        return value;
    }

    private static SQLException isNull(Column column) {
        return new SQLException("column " + column.name() + " is null");
    }

    /** Only for columns that are never null. */
    long number(Column column) throws SQLException {
        return result.getLong(offset + column.index());
    }

    OptionalLong optionalNumber(Column column) throws SQLException {
        long value = number(column);
        // The driver reads null as 0, and wasNull is a second native call.
        return value == 0 && result.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }

    int smallNumber(Column column) throws SQLException {
        return Math.toIntExact(number(column));
    }

    OptionalInt optionalSmallNumber(Column column) throws SQLException {
        var value = optionalNumber(column);
        return value.isPresent()
                ? OptionalInt.of(Math.toIntExact(value.getAsLong()))
                : OptionalInt.empty();
    }

    double decimal(Column column) throws SQLException {
        return result.getDouble(offset + column.index());
    }

    boolean flag(Column column) throws SQLException {
        return number(column) != 0;
    }

    Instant time(Column column) throws SQLException {
        return Micros.instant(number(column));
    }

    Optional<Instant> optionalTime(Column column) throws SQLException {
        return Micros.instant(optionalNumber(column));
    }

    @Override
    public void close() throws SQLException {
        result.close();
    }
}
